import { command } from "../command-line/command.ts";
import { plainText } from "../output/plain-text.ts";
import { openTarget } from "../sessions/open-target.ts";
import { SESSION_ARGUMENT } from "./arguments.ts";

export const sessionScreen = command({
  name: "session screen",
  aliases: ["screen"],
  summary: "Print what a session's screen shows now",
  isDaily: true,
  arguments: [SESSION_ARGUMENT],
  flags: {},
  async run(context, { words }) {
    await using target = await openTarget(context, words[0]);
    const screen = await target.client.call("session.screen", { session_id: target.sessionId });
    return {
      ok: screen,
      human: () => {
        const last = screen.visible_lines.findLastIndex((line) => line.trim() !== "");
        return screen.visible_lines
          .slice(0, last + 1)
          .map((line) => `${plainText(line).trimEnd()}\n`)
          .join("");
      },
    };
  },
});
