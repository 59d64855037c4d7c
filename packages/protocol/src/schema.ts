import { z } from "zod";
import type { Decimal } from "./wire/decimal.ts";
import { isDecimal } from "./wire/decimal.ts";
import { isOpaqueId } from "./wire/ids.ts";
import { LIMITS } from "./wire/limits.ts";
import type { MethodName, NullParamsMethod } from "./wire/methods.ts";
import { methodRow } from "./wire/methods.ts";
import { fitsUtf8, hasControlCharacter } from "./wire/text.ts";

/** What the docs generator reads from a schema beside its shape. */
export interface SchemaNote {
  /** Name of the type in the tables. */
  readonly label?: string;
  /** The listed values of an enum. */
  readonly values?: readonly string[];
  /** An addition of this implementation to the protocol. */
  readonly isOurs?: true;
}

export const schemaNotes = z.registry<SchemaNote>();

/** An object of a result or an event: unknown fields are kept, so a newer peer can be passed on unharmed. */
export function openObject<Shape extends z.core.$ZodShape>(shape: Shape) {
  // The index signature of a loose object would let every misspelt field through the type checker.
  return z.looseObject(shape) as unknown as z.ZodObject<{ -readonly [Key in keyof Shape]: Shape[Key] }, z.core.$strip>;
}

/** A value of an enum that a newer peer may have extended. Whoever produces one must use a listed value. */
export type Open<Value extends string> = Value | (string & Record<never, never>);

export function openEnum<const Value extends string>(values: readonly Value[]): z.ZodType<Open<Value>, Value> {
  const schema = z.string().register(schemaNotes, { values });
  return schema as unknown as z.ZodType<Open<Value>, Value>;
}

/** A value of an enum in params: only listed values are taken. */
export function closedEnum<const Value extends string>(values: readonly Value[]) {
  return z.enum(values as readonly [Value, ...Value[]]).register(schemaNotes, { values });
}

/** An id that callers may write as a plain string and that arrives branded. */
export function idOf<Id extends string>(label: string): z.ZodType<Id, string> {
  const message = "must be 1 to 128 of A-Z a-z 0-9 - _ . :";
  const schema = z.string().refine(isOpaqueId, message).register(schemaNotes, { label });
  return schema as unknown as z.ZodType<Id, string>;
}

/** Text of at most this many UTF-8 bytes. */
export function boundedText(maxBytes: number) {
  return z.string().refine((text) => fitsUtf8(text, maxBytes), `must be at most ${maxBytes} bytes`);
}

/** Text of at most this many characters (code points). */
export function boundedChars(maxChars: number) {
  const isShort = (text: string) => text.length <= maxChars || Array.from(text).length <= maxChars;
  return z.string().refine(isShort, `must be at most ${maxChars} characters`);
}

/** One line of text a person reads: trimmed, not empty, no control characters. */
export function nameOf(maxBytes: number) {
  return z
    .string()
    .trim()
    .min(1)
    .refine((text) => fitsUtf8(text, maxBytes), `must be at most ${maxBytes} bytes`)
    .refine((text) => !hasControlCharacter(text), "must have no control characters");
}

export const decimalString = z
  .string()
  .refine(isDecimal, "must be a canonical unsigned 64-bit decimal string")
  .register(schemaNotes, { label: "dec" }) as unknown as z.ZodType<Decimal, Decimal>;

/** RFC 3339 in UTC, as `Date.prototype.toISOString` writes it. What a peer sends is kept as it is. */
export const timestamp = z.string().register(schemaNotes, { label: "ts" });
/** RFC 3339, with any offset. */
export const timestampParam = z.iso.datetime({ offset: true }).register(schemaNotes, { label: "ts" });

export const count = z.number().int().nonnegative().register(schemaNotes, { label: "count" });
export const milliseconds = z.number().int().nonnegative().register(schemaNotes, { label: "ms" });
export const processId = z.number().int().nonnegative().register(schemaNotes, { label: "pid" });
export const dimension = z.number().int().min(1).max(65_535).register(schemaNotes, { label: "1..65535" });
export const waitMs = z
  .number()
  .int()
  .min(LIMITS.waitMinimumMs)
  .max(LIMITS.waitMaximumMs)
  .register(schemaNotes, { label: `${LIMITS.waitMinimumMs}..${LIMITS.waitMaximumMs}` });

/** Params of a method that takes none. */
export function noParams(name: NullParamsMethod): z.ZodType<null, null | undefined> {
  const schema = methodRow(name).nullParams === "strict" ? z.null() : z.unknown().transform(() => null);
  return schema.register(schemaNotes, { label: "-" }) as unknown as z.ZodType<null, null | undefined>;
}

/** Params that may be left out as a whole: null stands for the empty object. */
export function orNull<Schema extends z.ZodType>(schema: Schema) {
  const wrapped = z.preprocess((value) => value ?? {}, schema);
  return wrapped as unknown as z.ZodType<z.output<Schema>, z.input<Schema> | null | undefined>;
}

/** Params and result of one method. */
export interface MethodMessages<Params extends z.ZodType = z.ZodType, Result extends z.ZodType = z.ZodType> {
  readonly params: Params;
  readonly result: Result;
}

/** Declares methods of one feature. Each must have its row in METHODS. */
export function defineMethods<const Messages extends { readonly [Name in MethodName]?: MethodMessages }>(
  messages: Messages & { readonly [Name in Exclude<keyof Messages, MethodName>]: never },
): Messages {
  return messages;
}
