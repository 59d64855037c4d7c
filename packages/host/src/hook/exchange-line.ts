import { isRecord } from "@pohunek/protocol/wire";

/** Both sockets are on this machine, and what they answer is short. */
const ANSWER_MS = 1500;
const ANSWER_BYTES = 65_536;

/** Sends one line and returns the object that is answered. Undefined: nobody answers, or not with an object. */
export async function exchangeLine(
  socketPath: string,
  message: object,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const answered = Promise.withResolvers<string | undefined>();
  const timer = setTimeout(() => answered.resolve(undefined), ANSWER_MS);
  const give = (): void => answered.resolve(undefined);
  let text = "";
  try {
    const socket = await Bun.connect<undefined>({
      unix: socketPath,
      socket: {
        data(_socket, chunk) {
          text += chunk.toString("utf8");
          const end = text.indexOf("\n");
          if (end >= 0) answered.resolve(text.slice(0, end));
          else if (text.length > ANSWER_BYTES) give();
        },
        close: give,
        end: give,
        error: give,
      },
    });
    // A line that does not fit at once goes to nobody who reads.
    const line = Buffer.from(`${JSON.stringify(message)}\n`);
    if (socket.write(line) < line.length) give();
    const answer: unknown = JSON.parse((await answered.promise) ?? "null");
    socket.terminate();
    return isRecord(answer) ? answer : undefined;
  } catch {
    // ENOENT, ECONNREFUSED, SyntaxError: nobody of ours is there.
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}
