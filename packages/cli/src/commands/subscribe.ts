import type { ReceivedEvent } from "@pohunek/sdk";
import { command } from "../command-line/command.ts";
import { connectHost } from "../connection/connect-host.ts";

export const subscribe = command({
  name: "subscribe",
  summary: "Print what happens on the host, a line of JSON for each event",
  flags: {},
  output: "stream",
  isHidden: true,
  async run(context) {
    await using client = await connectHost(context);
    const abort = new AbortController();
    using _interrupt = context.signals.on("SIGINT", () => abort.abort());
    using _terminate = context.signals.on("SIGTERM", () => abort.abort());
    await using events = await client.subscribe({ signal: abort.signal });
    try {
      for await (const event of events) context.output.print(`${JSON.stringify(eventLine(event))}\n`);
    } catch (error) {
      // Interrupted by the user: the regular end.
      if (!abort.signal.aborted) throw error;
    }
    return 0;
  },
});

/** The event as it travels, without its envelope. */
function eventLine(event: ReceivedEvent): object {
  return { event: event.event === "unknown" ? event.name : event.event, ...event.payload };
}
