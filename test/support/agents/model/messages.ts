/** Anthropic's Messages interface. */

import type { Answer } from "./wire.ts";
import { newId, speak, THOUGHT, think, usageOf } from "./wire.ts";

export function messagesError(status: number): unknown {
  const types: Readonly<Record<number, string>> = {
    400: "invalid_request_error",
    401: "authentication_error",
    429: "rate_limit_error",
    529: "overloaded_error",
  };
  const error = { type: types[status] ?? "api_error", message: `Scripted error ${status}` };
  return { type: "error", error, request_id: newId("req_") };
}

export async function answerMessages({ request, reply, wire }: Answer): Promise<void> {
  const { input, output } = usageOf(request, reply);
  const call = reply.tool && { type: "tool_use", id: newId("toolu_"), name: reply.tool.name, input: reply.tool.input };
  const stopReason = call === undefined ? "end_turn" : "tool_use";
  const cache = { cache_creation_input_tokens: 0, cache_read_input_tokens: 0, service_tier: "standard" };
  const message = {
    id: newId("msg_"),
    type: "message",
    role: "assistant",
    model: request.model,
    stop_reason: null,
    stop_sequence: null,
  };
  const said = (reply.text ?? []).join("");
  if (!request.isStreamed) {
    const content = [...(said === "" ? [] : [{ type: "text", text: said }]), ...(call === undefined ? [] : [call])];
    const usage = { input_tokens: input, output_tokens: output, ...cache };
    wire.json({ ...message, content, stop_reason: stopReason, usage });
    return;
  }
  const event = (type: string, fields: object): void => wire.event({ type, ...fields }, type);
  event("message_start", {
    message: { ...message, content: [], usage: { input_tokens: input, output_tokens: 1, ...cache } },
  });
  let index = 0;
  const block = async (start: object, fill: (give: (delta: object) => void) => Promise<void> | void): Promise<void> => {
    event("content_block_start", { index, content_block: start });
    await fill((delta) => event("content_block_delta", { index, delta }));
    event("content_block_stop", { index });
    index += 1;
  };
  if (reply.thinkingMs !== undefined) {
    await block({ type: "thinking", thinking: "", signature: "" }, async (give) => {
      await think(wire, reply, () => give({ type: "thinking_delta", thinking: THOUGHT }));
      give({ type: "signature_delta", signature: "c2NyaXB0ZWQ=" });
    });
  }
  if (said !== "") {
    await block({ type: "text", text: "" }, (give) => speak(wire, reply, (text) => give({ type: "text_delta", text })));
  }
  if (call !== undefined) {
    await block({ ...call, input: {} }, (give) =>
      give({ type: "input_json_delta", partial_json: JSON.stringify(call.input) }),
    );
  }
  event("message_delta", { delta: { stop_reason: stopReason, stop_sequence: null }, usage: { output_tokens: output } });
  event("message_stop", {});
  wire.end();
}
