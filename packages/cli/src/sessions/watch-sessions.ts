import type { ParamsOf, SessionInfo } from "@pohunek/protocol";
import { isProtocolError } from "@pohunek/protocol/wire";
import type { Client, Subscription } from "@pohunek/sdk";
import { connectHost } from "../connection/connect-host.ts";
import type { CommandContext } from "../context.ts";
import { Mailbox } from "../mailbox.ts";
import { ListPicture } from "./list-picture.ts";

type Filters = NonNullable<NonNullable<ParamsOf<"session.list">>["filters"]>;

/** Several events of one change come together and are worth one new picture. */
const SETTLE_MS = 40;
/** Ages grow, and an event that got lost on the way is made good, at this pace. */
const REFRESH_MS = 5_000;
/** A restarting daemon is back soon. */
const RETRY_MS = 500;

type Happening = "changed" | "lost" | "stop";

/** Keeps the list of sessions on the screen, or prints a line of JSON for each change of it, until interrupted. */
export async function watchSessions(context: CommandContext, filters: Filters): Promise<number> {
  const happenings = new Mailbox<Happening>();
  using _interrupt = context.signals.on("SIGINT", () => happenings.put("stop"));
  using _terminate = context.signals.on("SIGTERM", () => happenings.put("stop"));
  using _resize = context.signals.on("SIGWINCH", () => happenings.put("changed"));
  using picture = new ListPicture(context);
  let hasWorked = false;
  for (;;) {
    try {
      await using client = await connectHost(context);
      await using events = await client.subscribe();
      hasWorked = true;
      void forward(events, happenings);
      if ((await follow({ client, filters, happenings, picture })) === "stop") return 0;
    } catch (error) {
      // Only a daemon that was there is waited for.
      if (!hasWorked || !isProtocolError(error) || !error.isRetryable) throw error;
    }
    picture.tell("The daemon does not answer; trying again.");
    if ((await happenings.next(RETRY_MS)) === "stop") return 0;
  }
}

interface Following {
  readonly client: Client;
  readonly filters: Filters;
  readonly happenings: Mailbox<Happening>;
  readonly picture: ListPicture;
}

/** Shows the list after every change, until the connection is lost or the user has seen enough. */
async function follow({ client, filters, happenings, picture }: Following): Promise<"lost" | "stop"> {
  for (;;) {
    const sessions: SessionInfo[] = await client.call("session.list", filters.length === 0 ? null : { filters });
    picture.show(sessions);
    let happening = await happenings.next(REFRESH_MS);
    while (happening === "changed") happening = await happenings.next(SETTLE_MS);
    if (happening !== undefined) return happening;
  }
}

async function forward(events: Subscription, happenings: Mailbox<Happening>): Promise<void> {
  try {
    for await (const _event of events) happenings.put("changed");
  } catch (error) {
    if (!isProtocolError(error)) throw error;
  }
  happenings.put("lost");
}
