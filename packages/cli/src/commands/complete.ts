import { isProtocolError } from "@pohunek/protocol/wire";
import type { Client } from "@pohunek/sdk";
import { command } from "../command-line/command.ts";
import { usageError } from "../command-line/usage-error.ts";
import { connectHost } from "../connection/connect-host.ts";
import { plainText } from "../output/plain-text.ts";
import { isLaunchable } from "../sessions/choose-agent.ts";
import { stateWords } from "../sessions/state-words.ts";

/** A shell that waits for a completion must not hang with the daemon. */
const ANSWER_TIMEOUT_MS = 1_000;

export const complete = command({
  name: "complete",
  summary: "Print what a completion script asks for",
  arguments: [{ name: "what", summary: "sessions or agents" }],
  flags: {},
  output: "stream",
  isHidden: true,
  async run(context, { words }) {
    const print = PRINTERS[words[0] ?? ""];
    if (print === undefined) throw usageError(`complete knows: ${Object.keys(PRINTERS).join(", ")}`);
    try {
      await using client = await connectHost(context);
      await print(client, (word, text) => context.output.print(`${plainText(word)}\t${plainText(text)}\n`));
    } catch (error) {
      // Without a daemon there is nothing to complete, and nobody reads an error here.
      if (!isProtocolError(error)) throw error;
    }
    return 0;
  },
});

type Printer = (client: Client, print: (word: string, text: string) => void) => Promise<void>;

const PRINTERS: Readonly<Record<string, Printer>> = {
  // A name with a control character could not be typed anyway.
  async sessions(client, print) {
    const sessions = await client.call("session.list", null, { timeoutMs: ANSWER_TIMEOUT_MS });
    sessions.forEach((one) => print(one.name ?? one.id, `${stateWords(one).text}, ${one.agent}`));
  },
  async agents(client, print) {
    const { runtimes } = await client.call("host.inspect", null, { timeoutMs: ANSWER_TIMEOUT_MS });
    runtimes.filter(isLaunchable).forEach((one) => print(one.agent, one.display_name ?? one.agent));
  },
};
