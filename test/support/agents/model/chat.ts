/** OpenAI's Chat Completions interface, and those of others that took its shape. */

import type { Answer } from "./wire.ts";
import { newId, speak, THOUGHT, think, usageOf } from "./wire.ts";

export async function answerChat({ request, reply, wire }: Answer): Promise<void> {
  const { input, output } = usageOf(request, reply);
  const usage = { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
  const head = { id: newId("chatcmpl-"), created: Math.floor(Date.now() / 1000), model: request.model };
  const call = reply.tool && {
    id: newId("call_"),
    type: "function",
    function: { name: reply.tool.name, arguments: JSON.stringify(reply.tool.input) },
  };
  const reason = call === undefined ? "stop" : "tool_calls";
  if (!request.isStreamed) {
    const content = (reply.text ?? []).join("");
    const message = { role: "assistant", content, ...(call && { tool_calls: [call] }) };
    const choices = [{ index: 0, message, finish_reason: reason }];
    wire.json({ ...head, object: "chat.completion", choices, usage });
    return;
  }
  const chunk = (delta: object, finish: string | null = null): void =>
    wire.event({
      ...head,
      object: "chat.completion.chunk",
      choices: [{ index: 0, delta, finish_reason: finish }],
    });
  chunk({ role: "assistant", content: "" });
  await think(wire, reply, () => chunk({ reasoning_content: THOUGHT }));
  await speak(wire, reply, (content) => chunk({ content }));
  if (call !== undefined) chunk({ tool_calls: [{ index: 0, ...call }] });
  chunk({}, reason);
  wire.event({ ...head, object: "chat.completion.chunk", choices: [], usage });
  wire.event("[DONE]");
  wire.end();
}
