/**
 * The model's mind: a prompt says itself what shall be answered, by a word `do:NAME` and what follows it on the line.
 *
 *   do:say TEXT           the text, at once            do:slow MS TEXT    silence for MS, then the text
 *   do:stream N MS        N lines, one every MS        do:think MS TEXT   thinks aloud for MS, then the text
 *   do:shell COMMAND      a command that needs leave   do:safe COMMAND    the same inside the agent's own sandbox
 *   do:write FILE         creates a file               do:question TEXT   asks the user, with two options
 *   do:helper PROMPT      starts a sub-agent           do:fail STATUS     this HTTP error, every time
 *   do:fail-first N STATUS  the error N times, then the text "Recovered."
 *   do:limit SECONDS      rate limited (429), once for so long; then the text "Recovered."
 *   do:hang               headers and nothing more     do:break           the stream ends in its middle
 *
 * Any other prompt is answered with "You said: " and its last line.
 */

import type { ModelRequest, Turn } from "./conversation.ts";
import { fieldsOf } from "./conversation.ts";
import type { Reply } from "./reply.ts";
import type { Wish } from "./tools.ts";
import { callFor } from "./tools.ts";

const DIRECTIVE = /(?:^|[\s"'>])do:([a-z-]+)[ \t]*([^\n<]*)/g;
/** What agents put around a prompt of the user: reminders, the environment, the date. */
const WRAPPING = /<([a-z_-]+)(?: [^>]*)?>[\s\S]*?<\/\1>|^\[Request interrupted[^\]]*\]/gi;
/** Turns that an agent adds itself after a tool's result or an interrupt. */
const BY_THE_AGENT = /^(\[(SYSTEM|System)|Please continue|System: )/;

interface Asked {
  readonly name: string;
  readonly rest: string;
  /** How many turns with results of tools came since. */
  readonly round: number;
  readonly lastResult: string;
}

/** Some tell the model which part of a prompt was pasted. */
const PASTED = /<\/?pasted_content[^>]*>/g;

const ownWords = (turn: Turn): string => turn.text.replace(PASTED, "").replace(WRAPPING, "").trim();
const isFromUser = (turn: Turn): boolean =>
  turn.role === "user" && ownWords(turn) !== "" && !BY_THE_AGENT.test(ownWords(turn));

/** The newest prompt of the user. */
export function lastPrompt(request: ModelRequest): string {
  const turn = request.turns.findLast(isFromUser);
  return turn === undefined ? "" : ownWords(turn);
}

function findAsked(request: ModelRequest): Asked | undefined {
  const at = request.turns.findLastIndex(isFromUser);
  const turn = request.turns[at];
  if (turn === undefined) return undefined;
  const [, name = "", rest = ""] = [...ownWords(turn).matchAll(DIRECTIVE)].at(-1) ?? [];
  const results = request.turns.slice(at + 1).flatMap((later) => later.results.slice(-1));
  return name === "" ? undefined : { name, rest: rest.trim(), round: results.length, lastResult: results.at(-1) ?? "" };
}

/** The smallest value that fits a JSON schema. */
function smallest(schema: unknown, depth = 0): unknown {
  const {
    const: fixed,
    enum: values,
    anyOf,
    oneOf,
    type,
    properties,
    required,
    items,
    minItems,
    minimum,
  } = fieldsOf(schema);
  if (fixed !== undefined) return fixed;
  if (Array.isArray(values)) return values[0] as unknown;
  const choices = anyOf ?? oneOf;
  if (Array.isArray(choices) && depth < 6) return smallest(choices[0], depth + 1);
  const one = String(
    Array.isArray(type) ? type[0] : (type ?? (properties === undefined ? "" : "object")),
  ).toLowerCase();
  if (one === "object" || one === "") {
    const names = Array.isArray(required) ? required.map(String) : Object.keys(fieldsOf(properties));
    return Object.fromEntries(names.map((name) => [name, smallest(fieldsOf(properties)[name], depth + 1)]));
  }
  if (one === "array") return minItems === undefined ? [] : [smallest(items, depth + 1)];
  if (one === "number" || one === "integer") return minimum ?? 1;
  if (one === "boolean") return false;
  return one === "null" ? null : "A title";
}

/** A request beside the conversation: titles, summaries, hints for the next prompt. It answers no prompt. */
export function isAside(request: ModelRequest): boolean {
  const said = request.turns.findLast((turn) => turn.role === "user" && turn.text.trim() !== "")?.text ?? "";
  const wantsHint = /SUGGESTION MODE|Reply with ONLY the suggestion/.test(said);
  return request.tools.length === 0 || request.schema !== undefined || wantsHint;
}

const LINE = "the quick brown fox jumps over the lazy dog.";

/** Remembers how often a prompt was refused already. */
export class Script {
  readonly #refused = new Map<string, number>();

  replyTo(request: ModelRequest): Reply {
    if (isAside(request)) {
      return { text: [request.schema === undefined ? "A title" : JSON.stringify(smallest(request.schema))] };
    }
    const asked = findAsked(request);
    if (asked === undefined) {
      const last = lastPrompt(request).split("\n").at(-1) ?? "";
      return { text: [`You said: ${last.slice(0, 200)}`] };
    }
    return (
      this.#failure(asked) ?? speech(asked) ?? tool(request, asked) ?? { text: [`No such word: do:${asked.name}`] }
    );
  }

  #failure({ name, rest }: Asked): Reply | undefined {
    const [first = 0, second = 529] = rest.split(/\s+/).map(Number);
    switch (name) {
      case "fail":
        return { status: first === 0 ? 529 : first };
      case "fail-first":
        return this.#isRefusedAgain(`${name} ${rest}`, first) ? { status: second } : { text: ["Recovered."] };
      case "limit":
        return this.#isRefusedAgain(`${name} ${rest}`, 1)
          ? { status: 429, retryAfterSeconds: first }
          : { text: ["Recovered."] };
      default:
        return undefined;
    }
  }

  #isRefusedAgain(key: string, times: number): boolean {
    const refused = this.#refused.get(key) ?? 0;
    this.#refused.set(key, refused + 1);
    return refused < times;
  }
}

function speech({ name, rest }: Asked): Reply | undefined {
  const [, first = "0", more = "Done."] = /^(\S+)\s*([\s\S]+)?$/.exec(rest) ?? [];
  switch (name) {
    case "say":
      return { text: [rest] };
    case "slow":
      return { delayMs: Number(first), text: [more] };
    case "think":
      return { thinkingMs: Number(first), text: [more] };
    case "stream":
      return {
        text: Array.from({ length: Number(first) }, (_, index) => `Line ${index + 1}: ${LINE}\n\n`),
        everyMs: Number(more),
      };
    case "hang":
      return { ending: "never" };
    case "break":
      return { text: [LINE, LINE, LINE], everyMs: 100, ending: "broken" };
    default:
      return undefined;
  }
}

function wishOf({ name, rest }: Asked): Wish | undefined {
  switch (name) {
    case "shell":
    case "safe":
      return { kind: "shell", command: rest, leavesSandbox: name === "shell" };
    case "write":
      return { kind: "write", file: rest, content: "line one\nline two\n" };
    case "question":
      return { kind: "question", question: rest };
    case "helper":
      return { kind: "helper", prompt: rest };
    default:
      return undefined;
  }
}

/** Time for a driver to see the agent at work before it asks something. */
const BEFORE_A_CALL_MS = 300;

function tool(request: ModelRequest, asked: Asked): Reply | undefined {
  const wish = wishOf(asked);
  if (wish === undefined) return undefined;
  if (asked.round > 0)
    return { delayMs: BEFORE_A_CALL_MS, text: [`Finished: ${asked.lastResult.replaceAll(/\s+/g, " ").slice(0, 120)}`] };
  const call = callFor(request, wish);
  const offered = request.tools.map(({ name }) => name).join(", ");
  return call === undefined
    ? { text: [`Nothing to ${wish.kind} with among ${offered}`] }
    : { delayMs: BEFORE_A_CALL_MS, text: ["I use a tool."], tool: call };
}
