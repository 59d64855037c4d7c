/** One open answer to an agent: events of a stream, or one JSON document. */

import { randomBytes } from "node:crypto";
import type { ServerResponse } from "node:http";
import type { ModelRequest } from "./conversation.ts";
import type { Reply } from "./reply.ts";

const THOUGHT_MS = 250;
export const THOUGHT = "Step by step. ";

export const newId = (prefix: string): string => `${prefix}${randomBytes(12).toString("hex")}`;

export class Wire {
  readonly #response: ServerResponse;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  get isOpen(): boolean {
    return !this.#response.destroyed && !this.#response.writableEnded;
  }

  begin(): void {
    this.#response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
    this.#response.flushHeaders();
  }

  /** One event of a stream; `name` for interfaces that name theirs. */
  event(data: unknown, name?: string): void {
    if (!this.isOpen) return;
    const text = typeof data === "string" ? data : JSON.stringify(data);
    this.#response.write(`${name === undefined ? "" : `event: ${name}\n`}data: ${text}\n\n`);
  }

  json(document: unknown): void {
    if (!this.isOpen) return;
    this.#response.writeHead(200, { "content-type": "application/json" });
    this.#response.end(JSON.stringify(document));
  }

  end(): void {
    if (this.isOpen) this.#response.end();
  }

  /** Cuts the connection. */
  cut(): void {
    this.#response.destroy();
  }
}

/** Gives out the thoughts of a reply, in their time. */
export async function think(wire: Wire, reply: Reply, give: () => void): Promise<void> {
  for (let ms = 0; ms < (reply.thinkingMs ?? 0) && wire.isOpen; ms += THOUGHT_MS) {
    give();
    await Bun.sleep(THOUGHT_MS);
  }
}

/** Gives out the text of a reply, in its time. */
export async function speak(wire: Wire, reply: Reply, give: (piece: string) => void): Promise<void> {
  for (const [index, piece] of (reply.text ?? []).entries()) {
    if (index > 0) await Bun.sleep(reply.everyMs ?? 0);
    if (!wire.isOpen) return;
    if (index === 2 && reply.ending === "broken") {
      wire.cut();
      return;
    }
    give(piece);
  }
}

/** Numbers that agents show and compute with; any will do. */
export function usageOf(request: ModelRequest, reply: Reply): { readonly input: number; readonly output: number } {
  const said = (reply.text ?? []).join("");
  return { input: 100 + Math.floor(JSON.stringify(request.turns).length / 4), output: 5 + Math.floor(said.length / 4) };
}

export interface Answer {
  readonly request: ModelRequest;
  readonly reply: Reply;
  readonly wire: Wire;
}
