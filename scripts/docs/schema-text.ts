import type { SchemaNote, z } from "@pohunek/protocol";
import { schemaNotes } from "@pohunek/protocol";
import { enumNames } from "./enum-names.ts";

/** An object that the tables name and describe once. */
export interface NamedObject {
  readonly name: string;
  readonly schema: z.core.$ZodObject;
  readonly isOurs: boolean;
}

/** One field of an object, ready for a table. */
export interface FieldText {
  readonly name: string;
  readonly type: string;
  readonly isOptional: boolean;
  readonly isOurs: boolean;
}

function noteOf(schema: z.core.$ZodType): SchemaNote {
  return schemaNotes.get(schema) ?? {};
}

/** The schema inside its optional, default, nullable and preprocessing wrappers. */
function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === "optional" || def.type === "default") return unwrap(def.innerType);
  if (def.type === "pipe") return unwrap(def.out);
  return schema;
}

/** How a schema is written in a table. Text needs no type: it is what a field holds that has none. */
function typeText(schema: z.core.$ZodType): string {
  const note = noteOf(schema);
  if (note.label !== undefined) return note.label;
  if (note.values !== undefined) return enumNames.get(note.values) ?? note.values.join(" \\| ");
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case "optional":
      return typeText(def.innerType);
    case "default":
      return `${typeText(def.innerType)} = ${JSON.stringify(def.defaultValue)}`;
    case "pipe":
      return `${typeText(def.out)} or null`;
    case "nullable":
      return `${typeText(def.innerType) || "text"} \\| null`;
    case "array":
      return `${typeText(def.element)}[]`;
    case "record":
      return `{text: ${typeText(def.valueType) || "text"}}`;
    case "union":
      return def.options.map((option) => typeText(option) || "text").join(" or ");
    case "literal":
      return def.values.map((value) => JSON.stringify(value)).join(" \\| ");
    case "object":
      return `{${fieldsOf(schema as z.core.$ZodObject)
        .map(inlineField)
        .join(", ")}}`;
    case "boolean":
      return "bool";
    case "number":
      return "int";
    case "string":
      return "";
    default:
      throw new Error(`the tables cannot show a ${def.type}`);
  }
}

/** The fields of an object in their order. */
export function fieldsOf(schema: z.core.$ZodObject): readonly FieldText[] {
  return Object.entries(schema._zod.def.shape).map(([name, field]) => ({
    name,
    type: typeText(field),
    isOptional: field._zod.optin !== undefined,
    isOurs: noteOf(field).isOurs === true,
  }));
}

function inlineField({ name, type, isOptional, isOurs }: FieldText): string {
  const key = `\`${name}\`${isOptional ? "?" : ""}`;
  const isSaidByName = name === type.replaceAll(" ", "_");
  const shown = type === "" || isSaidByName ? key : `${key}${type.startsWith("[]") ? "" : " "}${type}`;
  return isOurs ? `${shown} (ours)` : shown;
}

/** Params or a result as a table cell: the fields of an object without its braces, anything else as its type. */
export function messageText(schema: z.core.$ZodType): string {
  const inner = unwrap(schema);
  const { def } = (inner as z.core.$ZodTypes)._zod;
  const isNull = (schema as z.core.$ZodTypes)._zod.def.type === "pipe";
  if (def.type !== "object" || noteOf(inner).label !== undefined) return typeText(schema) || "text";
  const fields = fieldsOf(inner as z.core.$ZodObject)
    .map(inlineField)
    .join(", ");
  const strict = def.catchall?._zod.def.type === "never" ? " (strict)" : "";
  return `${fields}${strict}${isNull ? " or null" : ""}`;
}

/** All objects with a name that can be reached from the schemas, in the order of their names. */
export function namedObjects(schemas: readonly z.core.$ZodType[]): readonly NamedObject[] {
  const found = new Map<string, NamedObject>();
  const visit = (schema: z.core.$ZodType): void => {
    const { def } = (schema as z.core.$ZodTypes)._zod;
    const { label: name, isOurs = false } = noteOf(schema);
    if (def.type === "object") {
      const object = schema as z.core.$ZodObject;
      if (name !== undefined && /^[A-Z]\w+$/.test(name) && !found.has(name))
        found.set(name, { name, schema: object, isOurs });
      for (const field of Object.values(object._zod.def.shape)) visit(field);
    } else {
      for (const child of childrenOf(def)) visit(child);
    }
  };
  for (const schema of schemas) visit(schema);
  return [...found.values()].toSorted((left, right) => left.name.localeCompare(right.name));
}

function childrenOf(def: z.core.$ZodTypes["_zod"]["def"]): readonly z.core.$ZodType[] {
  if (def.type === "array") return [def.element];
  if (def.type === "union") return def.options;
  if (def.type === "record") return [def.valueType];
  if (def.type === "pipe") return [def.out];
  return def.type === "optional" || def.type === "default" || def.type === "nullable" ? [def.innerType] : [];
}
