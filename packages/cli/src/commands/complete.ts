import { isProtocolError } from "@pohunek/protocol/wire";
import { command } from "../command-line/command.ts";
import { usageError } from "../command-line/usage-error.ts";
import { connectHost } from "../connection/connect-host.ts";
import { plainText } from "../output/plain-text.ts";
import { stateWords } from "../sessions/state-words.ts";

/** A shell that waits for a completion must not hang with the daemon. */
const ANSWER_TIMEOUT_MS = 1_000;

export const complete = command({
  name: "complete",
  summary: "Print what a completion script asks for",
  arguments: [{ name: "what", summary: "sessions" }],
  flags: {},
  output: "stream",
  isHidden: true,
  async run(context, { words }) {
    if (words[0] !== "sessions") throw usageError("complete knows: sessions");
    try {
      await using client = await connectHost(context);
      const sessions = await client.call("session.list", null, { timeoutMs: ANSWER_TIMEOUT_MS });
      for (const session of sessions) {
        // A name with a control character could not be typed anyway.
        const word = plainText(session.name ?? session.id);
        context.output.print(`${word}\t${stateWords(session).text}, ${plainText(session.agent)}\n`);
      }
    } catch (error) {
      // Without a daemon there is nothing to complete, and nobody reads an error here.
      if (!isProtocolError(error)) throw error;
    }
    return 0;
  },
});
