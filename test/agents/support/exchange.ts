/** Sends one line to a socket and returns the line that is answered. */
export async function exchange(socket: string, message: object): Promise<string> {
  const answered = Promise.withResolvers<string>();
  let text = "";
  const connection = await Bun.connect({
    unix: socket,
    socket: {
      data(_socket, chunk) {
        text += chunk.toString("utf8");
        if (text.includes("\n")) answered.resolve(text.trim());
      },
      close: () => answered.resolve(text.trim()),
    },
  });
  connection.write(`${JSON.stringify(message)}\n`);
  const answer = await answered.promise;
  connection.terminate();
  return answer;
}
