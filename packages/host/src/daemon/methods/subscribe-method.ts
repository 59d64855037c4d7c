import type { Handlers } from "../dispatcher.ts";

/** Turns a connection into a stream of events. */
export const subscribeMethod: Pick<Handlers, "subscribe"> = {
  subscribe: (_params, context) => {
    context.subscribe();
    return { subscribed: true };
  },
};
