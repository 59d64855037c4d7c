import { readFileSync } from "node:fs";
import { events, methods } from "@pohunek/protocol";
import type { MethodName, MethodRow } from "@pohunek/protocol/wire";
import { EVENT_NAMES, LIMITS, METHODS, methodRow } from "@pohunek/protocol/wire";
import { enumNames } from "./enum-names.ts";
import { fillSections, table } from "./marked-sections.ts";
import { fieldsOf, messageText, namedObjects } from "./schema-text.ts";

const METHOD_NAMES = Object.keys(METHODS) as MethodName[];

function remarksOf(row: MethodRow): string {
  const remarks = [
    row.right === "local_only" ? "L" : row.right,
    row.isOriginGuarded === true ? "guarded" : "",
    row.nullParams === "strict" ? "strict null" : "",
    row.introduced === undefined ? "" : `since ${row.introduced}`,
  ];
  return remarks.filter((remark) => remark !== "").join(", ");
}

function methodTable(): string {
  const rows = METHOD_NAMES.map((name) => [
    `\`${name}\``,
    messageText(methods[name].params),
    messageText(methods[name].result),
    [remarksOf(methodRow(name)), methodRow(name).isOurs ? "ours" : ""].filter((word) => word !== "").join(", "),
    methodRow(name).implemented ? "yes" : "no",
  ]);
  return table(["method", "params", "result", "right", "answered today"], rows);
}

function methodSummary(): string {
  const implemented = METHOD_NAMES.filter((name) => methodRow(name).implemented);
  return (
    `Of the ${METHOD_NAMES.length} methods, ${implemented.length} are answered by this release. ` +
    "The others are declared, and answer `method_not_found`."
  );
}

function eventTable(): string {
  return table(
    ["event", "payload"],
    EVENT_NAMES.map((name) => [`\`${name}\``, messageText(events[name])]),
  );
}

function objectTables(): string {
  const schemas = [
    ...METHOD_NAMES.flatMap((name) => [methods[name].params, methods[name].result]),
    ...Object.values(events),
  ];
  const sections = namedObjects(schemas).map(({ name, schema, isOurs }) => {
    const rows = fieldsOf(schema).map((field) => [
      `\`${field.name}\`${field.isOptional ? "?" : ""}`,
      field.type.replace(/^(?=\[\]|$)/, "text"),
      field.isOurs || isOurs ? "ours" : "",
    ]);
    return `### ${name}\n\n${table(["field", "type", ""], rows)}`;
  });
  return sections.join("\n\n");
}

function enumTable(): string {
  const rows = [...enumNames].map(([values, name]) => [name, values.map((value) => `\`${value}\``).join(", ")]);
  return table(
    ["name", "values"],
    rows.toSorted(([left = ""], [right = ""]) => left.localeCompare(right)),
  );
}

function limitTable(): string {
  const words = (key: string) => key.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return table(
    ["limit", "value"],
    Object.entries(LIMITS).map(([key, value]) => [words(key), value.toLocaleString("en-US")]),
  );
}

/** docs/protocol.md: its text stays, its tables are made from the declarations. */
export function renderProtocolPage(path: string): string {
  return fillSections(readFileSync(path, "utf8"), {
    summary: methodSummary,
    methods: methodTable,
    events: eventTable,
    objects: objectTables,
    enums: enumTable,
    limits: limitTable,
  });
}
