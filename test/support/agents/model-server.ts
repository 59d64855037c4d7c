/** A model that answers by a script (model/script.ts), over the four interfaces that coding agents speak, with a log. */

import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { answerChat } from "./model/chat.ts";
import type { ModelInterface, ModelRequest, Turn } from "./model/conversation.ts";
import { readModelRequest } from "./model/conversation.ts";
import { answerGemini } from "./model/gemini.ts";
import { answerMessages, messagesError } from "./model/messages.ts";
import type { Reply } from "./model/reply.ts";
import { answerResponses } from "./model/responses.ts";
import { isAside, lastPrompt, Script } from "./model/script.ts";
import type { Answer } from "./model/wire.ts";
import { newId, Wire } from "./model/wire.ts";

/** What an agent asked, and how far the answer came. Times are `Date.now()`. */
export interface LoggedRequest {
  readonly at: number;
  readonly path: string;
  readonly interface: ModelInterface;
  /** Not of the conversation: titles, summaries, hints. */
  readonly isAside: boolean;
  /** The newest prompt of the user in it. */
  readonly prompt: string;
  readonly tools: readonly string[];
  readonly turns: readonly Turn[];
  /** When the answer ended, or the agent ended the connection. */
  endedAt?: number;
  /** The whole answer was sent. False: the agent hung up before. */
  isComplete?: boolean;
}

const KEPT_REQUESTS = 2000;

const ANSWERS: Readonly<Record<ModelInterface, (answer: Answer) => Promise<void>>> = {
  messages: answerMessages,
  responses: answerResponses,
  chat: answerChat,
  gemini: answerGemini,
};

function errorOf(kind: ModelInterface, status: number): unknown {
  const message = `Scripted error ${status}`;
  if (kind === "messages") return messagesError(status);
  const isLimit = status === 429;
  return kind === "gemini"
    ? { error: { code: status, message, status: isLimit ? "RESOURCE_EXHAUSTED" : "UNAVAILABLE" } }
    : { error: { message, type: isLimit ? "rate_limit_error" : "server_error", code: null, param: null } };
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  try {
    return JSON.parse(Buffer.concat(chunks).toString("utf8")) as unknown;
  } catch {
    return undefined; // not JSON: no request to a model
  }
}

function sendJson(response: ServerResponse, document: unknown, status = 200): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(document));
}

/** Answers that agents fetch beside their conversation: the list of models, counted tokens, a sign of life. */
function sendPlain(response: ServerResponse, method: string, path: string): void {
  if (path.endsWith("/count_tokens")) sendJson(response, { input_tokens: 100 });
  else if (path.endsWith(":countTokens")) sendJson(response, { totalTokens: 100 });
  else if (path.endsWith("/models")) {
    const data = [{ id: "scripted", object: "model", type: "model", display_name: "Scripted", created: 1 }];
    sendJson(response, { object: "list", data, models: [], has_more: false });
  } else if (method === "HEAD" || path === "/") sendJson(response, {});
  else sendJson(response, { error: { type: "not_found_error", message: `no ${method} ${path}` } }, 404);
}

async function send({ request, reply, wire }: Answer, response: ServerResponse): Promise<void> {
  if (reply.status !== undefined) {
    const { status, retryAfterSeconds: seconds } = reply;
    const retry = seconds === undefined ? {} : { "retry-after": String(seconds) };
    response.writeHead(status, { "content-type": "application/json", ...retry });
    response.end(JSON.stringify(errorOf(request.kind, status)));
    return;
  }
  if (request.isStreamed) wire.begin();
  if (reply.ending === "never") return;
  await Bun.sleep(reply.delayMs ?? 0);
  await ANSWERS[request.kind]({ request, reply, wire });
}

/** Listens on loopback, on a free port. */
export class ModelServer implements AsyncDisposable {
  readonly requests: LoggedRequest[] = [];
  readonly #script = new Script();
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  static async start(): Promise<ModelServer> {
    const server = new ModelServer();
    const { promise, resolve } = Promise.withResolvers<void>();
    server.#server.listen(0, "127.0.0.1", resolve);
    await promise;
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "", url = "" } = incoming;
    const path = url.split("?")[0] ?? "";
    const request = method === "POST" ? readModelRequest(path, await readBody(incoming)) : undefined;
    if (request === undefined) {
      sendPlain(response, method, path);
      return;
    }
    response.setHeader("request-id", newId("req_"));
    this.#log(request, path, response);
    const reply: Reply = this.#script.replyTo(request);
    try {
      await send({ request, reply, wire: new Wire(response) }, response);
    } catch (cause) {
      process.stderr.write(`model server: ${String(cause)}\n`);
      response.destroy();
    }
  }

  #log(request: ModelRequest, path: string, response: ServerResponse): void {
    const logged: LoggedRequest = {
      at: Date.now(),
      path,
      interface: request.kind,
      isAside: isAside(request),
      prompt: lastPrompt(request),
      tools: request.tools.map(({ name }) => name),
      turns: request.turns,
    };
    response.on("close", () => {
      logged.endedAt = Date.now();
      logged.isComplete = response.writableFinished;
    });
    this.requests.push(logged);
    if (this.requests.length > KEPT_REQUESTS) this.requests.shift();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => resolve());
    this.#server.closeAllConnections();
    await promise;
  }
}
