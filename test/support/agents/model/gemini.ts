/** Google's Gemini interface. */

import type { Answer } from "./wire.ts";
import { newId, speak, THOUGHT, think, usageOf } from "./wire.ts";

export async function answerGemini({ request, reply, wire }: Answer): Promise<void> {
  const { input, output } = usageOf(request, reply);
  const responseId = newId("g");
  const candidate = (parts: readonly object[], isLast = false): object => ({
    candidates: [{ index: 0, content: { role: "model", parts }, ...(isLast && { finishReason: "STOP" }) }],
    usageMetadata: { promptTokenCount: input, candidatesTokenCount: output, totalTokenCount: input + output },
    modelVersion: request.model,
    responseId,
  });
  const call = reply.tool && { id: newId("fc_"), name: reply.tool.name, args: reply.tool.input };
  const last = call === undefined ? [] : [{ functionCall: call }];
  if (!request.isStreamed) {
    wire.json(candidate([{ text: (reply.text ?? []).join("") }, ...last], true));
    return;
  }
  await think(wire, reply, () => wire.event(candidate([{ text: `**Thinking** ${THOUGHT}`, thought: true }])));
  await speak(wire, reply, (text) => wire.event(candidate([{ text }])));
  wire.event(candidate(last.length === 0 ? [{ text: "" }] : last, true));
  wire.end();
}
