import { AGENT_ACTIVITIES, CHOICE_WAYS } from "@pohunek/protocol/wire";
import type {
  ComposerRule,
  DetectionManifest,
  DetectionRegion,
  DetectionRule,
  Gate,
  GatePlace,
  RuleCapture,
} from "./manifest.ts";
import { DETECTION_REGIONS, MANIFEST_LIMITS, REGION_LINES, RULE_DETAILS } from "./manifest.ts";
import { Pattern } from "./pattern.ts";
import { PatternError } from "./pattern-syntax.ts";

/** What is wrong with a manifest, and where; never what it contains. */
export class ManifestError extends Error {
  override readonly name = "ManifestError";
}

type Table = Readonly<Record<string, unknown>>;

const SCHEMA = 1;
const RULE_ID = /^[a-z0-9][a-z0-9_-]*$/;
const GATE_KEYS = ["contains", "regex", "all", "any", "not"] as const;
const PLACE_KEYS = ["region", "lines"] as const;
const CAPTURE_KEYS = ["begin", "question", "options", "until", "text"] as const;
const MOST_PRIORITY = 10_000;
const COMPOSER_WITHIN = 12;

/** Reads a detection.toml. An empty one is valid and detects nothing. Fails with ManifestError. */
export function parseManifest(source: string): DetectionManifest {
  if (Buffer.byteLength(source) > MANIFEST_LIMITS.sourceBytes) {
    throw new ManifestError(`the manifest is larger than ${MANIFEST_LIMITS.sourceBytes} bytes`);
  }
  return new ManifestReader().read(tableOf(source));
}

function tableOf(source: string): Table {
  try {
    return Bun.TOML.parse(source) as Table;
  } catch (cause) {
    throw new ManifestError("the manifest is not valid TOML", { cause });
  }
}

class ManifestReader {
  #gates = 0;
  #matchers = 0;

  read(table: Table): DetectionManifest {
    onlyKeys(table, ["schema", "composer", "rule"], "the manifest");
    if (Object.keys(table).length > 0 && table["schema"] !== SCHEMA) {
      throw new ManifestError(`schema must be ${SCHEMA}`);
    }
    const rows = listOf(table["rule"] ?? [], "rule");
    if (rows.length > MANIFEST_LIMITS.rules) {
      throw new ManifestError(`there are more than ${MANIFEST_LIMITS.rules} rules`);
    }
    const rules = rows.map((row, index) => this.#rule(asTable(row, `rule ${index + 1}`), index));
    if (new Set(rules.map(({ id }) => id)).size !== rules.length) {
      throw new ManifestError("two rules have the same id");
    }
    const composer =
      table["composer"] === undefined ? undefined : this.#composer(asTable(table["composer"], "composer"));
    return { ...(composer ? { composer } : {}), rules: rules.toSorted(byRank) };
  }

  #composer(table: Table): ComposerRule {
    onlyKeys(table, ["regex", "within"], "composer");
    return {
      pattern: this.#pattern(table["regex"], "composer.regex"),
      within: integer(table["within"] ?? COMPOSER_WITHIN, { min: 1, max: MANIFEST_LIMITS.lines }, "composer.within"),
    };
  }

  #rule(table: Table, index: number): DetectionRule {
    const id = table["id"];
    if (typeof id !== "string" || id.length > MANIFEST_LIMITS.idLength || !RULE_ID.test(id)) {
      throw new ManifestError(`rule ${index + 1} has no id of a-z, 0-9, - and _`);
    }
    const where = `rule ${id}`;
    onlyKeys(table, ["id", "state", "detail", "priority", "choose", "capture", ...PLACE_KEYS, ...GATE_KEYS], where);
    const place = placeOf(table, { region: "screen", lines: REGION_LINES.screen }, where);
    const detail = optionalOneOf(table["detail"], RULE_DETAILS, `${where}: detail`);
    const choose = optionalOneOf(table["choose"], CHOICE_WAYS, `${where}: choose`);
    const capture = table["capture"] === undefined ? undefined : this.#capture(table["capture"], place, where);
    return {
      id,
      state: oneOf(table["state"], AGENT_ACTIVITIES, `${where}: state`),
      priority: integer(table["priority"] ?? 0, { min: 0, max: MOST_PRIORITY }, `${where}: priority`),
      region: place.region,
      gate: this.#gate(table, { place, depth: 1, where }),
      ...(detail ? { detail } : {}),
      ...(choose ? { choose } : {}),
      ...(capture ? { capture } : {}),
    };
  }

  #capture(value: unknown, outer: GatePlace, where: string): RuleCapture {
    const table = asTable(value, `${where}: capture`);
    onlyKeys(table, [...PLACE_KEYS, ...CAPTURE_KEYS], `${where}: capture`);
    const patterns = CAPTURE_KEYS.filter((key) => table[key] !== undefined).map(
      (key) => [key, this.#pattern(table[key], `${where}: capture.${key}`)] as const,
    );
    return { place: placeOf(table, outer, `${where}: capture`), ...Object.fromEntries(patterns) };
  }

  /** All conditions of one table together. */
  #gate(table: Table, at: { place: GatePlace; depth: number; where: string }): Gate {
    const { place, depth, where } = at;
    if (depth > MANIFEST_LIMITS.depth) {
      throw new ManifestError(`${where}: gates are nested more than ${MANIFEST_LIMITS.depth} deep`);
    }
    this.#gates += 1;
    if (this.#gates > MANIFEST_LIMITS.gates) {
      throw new ManifestError(`there are more than ${MANIFEST_LIMITS.gates} gates`);
    }
    const gates: Gate[] = [];
    if (table["contains"] !== undefined) {
      gates.push({ kind: "contains", place, text: this.#text(table["contains"], `${where}: contains`) });
    }
    if (table["regex"] !== undefined) {
      gates.push({ kind: "pattern", place, pattern: this.#pattern(table["regex"], `${where}: regex`) });
    }
    for (const kind of ["all", "any"] as const) {
      if (table[kind] !== undefined) {
        gates.push({ kind, gates: this.#gateList(table[kind], { ...at, where: `${where}: ${kind}` }) });
      }
    }
    if (table["not"] !== undefined) {
      const inner = { ...at, where: `${where}: not` };
      // A list stands for "none of these".
      const list = Array.isArray(table["not"]) ? table["not"] : [table["not"]];
      gates.push({ kind: "not", gate: { kind: "any", gates: this.#gateList(list, inner) } });
    }
    const [first] = gates;
    if (first === undefined) {
      throw new ManifestError(`${where} has no condition`);
    }
    return gates.length === 1 ? first : { kind: "all", gates };
  }

  #gateList(value: unknown, at: { place: GatePlace; depth: number; where: string }): Gate[] {
    const list = listOf(value, at.where);
    if (list.length === 0) {
      throw new ManifestError(`${at.where} is empty`);
    }
    return list.map((item) => {
      const table = asTable(item, at.where);
      onlyKeys(table, [...PLACE_KEYS, ...GATE_KEYS], at.where);
      return this.#gate(table, { ...at, place: placeOf(table, at.place, at.where), depth: at.depth + 1 });
    });
  }

  #pattern(value: unknown, where: string): Pattern {
    try {
      return new Pattern(this.#text(value, where));
    } catch (cause) {
      throw cause instanceof PatternError ? new ManifestError(`${where}: ${cause.message}`, { cause }) : cause;
    }
  }

  #text(value: unknown, where: string): string {
    this.#matchers += 1;
    if (this.#matchers > MANIFEST_LIMITS.matchers) {
      throw new ManifestError(`there are more than ${MANIFEST_LIMITS.matchers} matchers`);
    }
    if (typeof value !== "string" || value === "" || Buffer.byteLength(value) > MANIFEST_LIMITS.matcherBytes) {
      throw new ManifestError(`${where} must be text of 1 to ${MANIFEST_LIMITS.matcherBytes} bytes`);
    }
    return value;
  }
}

/** Title and progress are a source above the screen. */
function byRank(one: DetectionRule, other: DetectionRule): number {
  const rank = ({ region }: DetectionRule): number => (region === "title" || region === "progress" ? 0 : 1);
  return rank(one) - rank(other) || other.priority - one.priority;
}

function placeOf(table: Table, outer: GatePlace, where: string): GatePlace {
  const region = optionalOneOf<DetectionRegion>(table["region"], DETECTION_REGIONS, `${where}: region`);
  const fallback = region === undefined ? outer.lines : REGION_LINES[region];
  const lines = integer(table["lines"] ?? fallback, { min: 1, max: MANIFEST_LIMITS.lines }, `${where}: lines`);
  return { region: region ?? outer.region, lines };
}

function onlyKeys(table: Table, keys: readonly string[], where: string): void {
  if (Object.keys(table).some((key) => !keys.includes(key))) {
    throw new ManifestError(`${where} has a key that is not known; known are ${keys.join(", ")}`);
  }
}

function asTable(value: unknown, where: string): Table {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new ManifestError(`${where} must be a table`);
  }
  return value as Table;
}

function listOf(value: unknown, where: string): readonly unknown[] {
  if (!Array.isArray(value)) {
    throw new ManifestError(`${where} must be a list`);
  }
  return value as readonly unknown[];
}

function oneOf<const Choice extends string>(value: unknown, choices: readonly Choice[], where: string): Choice {
  const found = choices.find((choice) => choice === value);
  if (found === undefined) {
    throw new ManifestError(`${where} must be one of ${choices.join(", ")}`);
  }
  return found;
}

function optionalOneOf<const Choice extends string>(
  value: unknown,
  choices: readonly Choice[],
  where: string,
): Choice | undefined {
  return value === undefined ? undefined : oneOf(value, choices, where);
}

function integer(value: unknown, range: { min: number; max: number }, where: string): number {
  const isInside = typeof value === "number" && Number.isInteger(value) && value >= range.min && value <= range.max;
  if (!isInside) {
    throw new ManifestError(`${where} must be a whole number from ${range.min} to ${range.max}`);
  }
  return value;
}
