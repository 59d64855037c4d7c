import type { SessionInfo } from "@pohunek/protocol";
import { CliTerminal } from "../../test/cli/support/cli-terminal.ts";
import { until } from "../../test/support/index.ts";
import { checkShown } from "./numbered-lines.ts";
import type { Soak } from "./soak.ts";
import { isPassing } from "./soaked-host.ts";
import { startOnce } from "./soaked-session.ts";
import { ECHOES, shortWork } from "./work.ts";

/** A short program ends at once; a machine full of sessions takes its time. */
const ENDED_MS = 10_000;

/** People and programs that come and go. Each function is one visit; what it finds wrong goes to the soak. */
export type Visit = (soak: Soak) => Promise<void>;

/** A program attaches over the SDK, looks for a while, and leaves politely or not. */
export const attachBySdk: Visit = async (soak) => {
  const session = soak.pickSession();
  const stayMs = soak.stayMs();
  const isPolite = soak.random() < 0.5;
  const client = await soak.host.retry(async () => await soak.host.connect());
  try {
    const stream = await client.attach({ session_id: session.started.id });
    const leave = setTimeout(() => void (isPolite ? stream.detach() : stream.close()).catch(() => undefined), stayMs);
    const pieces: Uint8Array[] = [];
    try {
      for await (const bytes of stream) pieces.push(bytes);
    } finally {
      clearTimeout(leave);
      soak.count("attached", pieces.length > 0 ? 1 : 0);
      if (session.work.isScrolling) noteShown(soak, session.name, Buffer.concat(pieces).toString("latin1"));
    }
  } catch (cause) {
    if (!isPassing(cause)) throw cause;
    soak.count("attaches cut off by a dead daemon", 1);
  } finally {
    await client.close();
  }
};

/** A person attaches with the command line's client in a terminal, which may be closed, killed or left by its key. */
export const attachByCli: Visit = async (soak) => {
  const session = soak.pickSession();
  await using terminal = new CliTerminal(soak.host.host.roots, ["attach", session.started.id]);
  await Bun.sleep(300 + soak.stayMs());
  const { output } = terminal;
  const leaving = soak.pick(["SIGKILL", "SIGHUP", "SIGTERM", "key"] as const);
  if (leaving === "key") terminal.type("\x1d");
  else terminal.kill(leaving);
  await terminal.exited;
  soak.count("command lines attached", output.length > 0 ? 1 : 0);
  if (session.work.isScrolling) noteShown(soak, session.name, output);
};

function noteShown(soak: Soak, name: string, text: string): void {
  const { fault, repaints, lines } = checkShown(text);
  if (fault !== undefined) soak.fail(`${name}, attached: ${fault}`);
  soak.count("lines shown to them", lines);
  // The first begins the stream, unless it is a fresh terminal's, which begins in another way.
  soak.count("repaints of clients that fell behind", Math.max(0, repaints - 1));
}

/** A program that prints and ends: all of it, and its exit code, are there afterwards. */
export const runShort: Visit = async (soak) => {
  const lines = soak.between(1, 600);
  const { id } = await startOnce(soak.host, soak.nextName("short"), shortWork(lines));
  const session = await soak.host.retry(
    async (client) => await client.waitForState(id, ["done", "failed", "stopped"], { timeoutMs: ENDED_MS }),
  );
  if (session.exit_code !== 7) soak.fail(`${id} (short): ended as ${session.state} with ${session.exit_code}`);
  const { data_base64: data } = await soak.host.call("session.output", { session_id: id, max_bytes: 524_288 });
  const text = Buffer.from(data, "base64").toString("latin1");
  const printed = text.match(/#\d+\./g) ?? [];
  if (printed.length !== lines || printed.some((number, index) => number !== `#${index + 1}.`))
    soak.fail(`${id} (short): ${printed.length} of ${lines} lines, from ${printed[0]} to ${printed.at(-1)}`);
  await removeOnce(soak, id);
  soak.count("short programs", 1);
};

/** What was accepted as input is read by the program, once and in order. */
export const sendInput: Visit = async (soak) => {
  const { id } = await startOnce(soak.host, soak.nextName("echo"), ECHOES);
  const printed = async (): Promise<string> => {
    const { data_base64: data } = await soak.host.call("session.output", { session_id: id, max_bytes: 65_536 });
    return Buffer.from(data, "base64").toString("latin1");
  };
  // Before that the terminal itself would echo as well.
  await until("the program to be ready", async () => (await printed()).includes("ready"));
  const accepted: string[] = [];
  const unclear: string[] = [];
  for (let index = 1; index <= 5; index++) {
    const input = `<${index}>`;
    try {
      await using client = await soak.host.connect();
      await client.call("session.input", { session_id: id, text: input });
      accepted.push(input);
    } catch (cause) {
      if (!isPassing(cause)) throw cause;
      // Whether it arrived is not known, and sending it again could double it.
      unclear.push(input);
    }
    await Bun.sleep(soak.between(0, 200));
  }
  const read = async (): Promise<readonly string[]> => (await printed()).match(/<\d>/g) ?? [];
  const deadline = performance.now() + 5_000;
  let echoed = await read();
  while (!accepted.every((text) => echoed.includes(text)) && performance.now() < deadline) echoed = await read();
  const known = echoed.filter((text) => !unclear.includes(text));
  if (known.join("") !== accepted.join("") || new Set(echoed).size !== echoed.length)
    soak.fail(`${id} (echo): accepted ${accepted.join("")}, unclear ${unclear.join("")}, read ${echoed.join("")}`);
  await removeOnce(soak, id);
  soak.count("inputs", accepted.length);
};

/** The daemon may die after it removed the session and before it said so. */
async function removeOnce(soak: Soak, id: SessionInfo["id"]): Promise<void> {
  await soak.host.retry(async (client) => {
    if ((await client.call("session.list")).some((session) => session.id === id))
      await client.call("session.remove", id);
  });
}
