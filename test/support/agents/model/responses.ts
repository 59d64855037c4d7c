/** OpenAI's Responses interface. */

import type { Answer } from "./wire.ts";
import { newId, speak, THOUGHT, think, usageOf } from "./wire.ts";

type Item = Readonly<Record<string, unknown>>;

/** The items of one response, with the events that announce each. */
class Items {
  readonly #done: Item[] = [];
  readonly #event: (type: string, fields: object) => void;

  constructor(event: (type: string, fields: object) => void) {
    this.#event = event;
  }

  get done(): readonly Item[] {
    return this.#done;
  }

  async add(start: Item, fill: (event: (type: string, fields: object) => void) => Promise<Item> | Item): Promise<void> {
    const at = { output_index: this.#done.length };
    this.#event("response.output_item.added", { ...at, item: start });
    const item = await fill((type, fields) => this.#event(type, { item_id: start["id"], ...at, ...fields }));
    this.#event("response.output_item.done", { ...at, item });
    this.#done.push(item);
  }
}

async function addThoughts(items: Items, { reply, wire }: Answer): Promise<void> {
  const start = { type: "reasoning", id: newId("rs_"), summary: [] };
  await items.add(start, async (event) => {
    await think(wire, reply, () =>
      event("response.reasoning_summary_text.delta", { summary_index: 0, delta: THOUGHT }),
    );
    return { ...start, summary: [{ type: "summary_text", text: THOUGHT }] };
  });
}

async function addText(items: Items, { reply, wire }: Answer): Promise<void> {
  const said = (reply.text ?? []).join("");
  const start = { type: "message", id: newId("msg_"), role: "assistant", status: "in_progress", content: [] };
  await items.add(start, async (event) => {
    const part = { type: "output_text", text: "", annotations: [] };
    event("response.content_part.added", { content_index: 0, part });
    await speak(wire, reply, (delta) => event("response.output_text.delta", { content_index: 0, delta }));
    event("response.output_text.done", { content_index: 0, text: said });
    return { ...start, status: "completed", content: [{ ...part, text: said }] };
  });
}

async function addCall(items: Items, { reply }: Answer): Promise<void> {
  const { name = "", input = "" } = reply.tool ?? {};
  const isText = typeof input === "string";
  const text = isText ? input : JSON.stringify(input);
  const holds = isText ? "input" : "arguments";
  const start = {
    type: isText ? "custom_tool_call" : "function_call",
    id: newId(isText ? "ctc_" : "fc_"),
    call_id: newId("call_"),
    name,
    status: "in_progress",
    [holds]: "",
  };
  await items.add(start, (event) => {
    if (!isText) event("response.function_call_arguments.done", { arguments: text });
    return { ...start, status: "completed", [holds]: text };
  });
}

export async function answerResponses(answer: Answer): Promise<void> {
  const { request, reply, wire } = answer;
  let sequence = 0;
  const event = (type: string, fields: object): void => {
    if (request.isStreamed) wire.event({ type, sequence_number: sequence, ...fields }, type);
    sequence += 1;
  };
  const response = {
    id: newId("resp_"),
    object: "response",
    created_at: Math.floor(Date.now() / 1000),
    model: request.model,
    status: "in_progress",
    output: [],
  };
  event("response.created", { response });
  const items = new Items(event);
  if (reply.thinkingMs !== undefined) await addThoughts(items, answer);
  if (reply.text !== undefined) await addText(items, answer);
  if (reply.tool !== undefined) await addCall(items, answer);
  const { input, output } = usageOf(request, reply);
  const usage = {
    input_tokens: input,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + output,
  };
  const whole = { ...response, status: "completed", output: items.done, usage };
  event("response.completed", { response: whole });
  if (request.isStreamed) wire.end();
  else wire.json(whole);
}
