/** What a coding agent asks of a model, the same shape for the four interfaces that agents speak. */

export type ModelInterface = "messages" | "responses" | "chat" | "gemini";

export interface OfferedTool {
  readonly name: string;
  /** Names of its arguments. */
  readonly properties: readonly string[];
  /** Takes plain text in place of JSON. */
  readonly isFreeform: boolean;
  /** Is called by a script that another tool, named here, runs. */
  readonly within?: string;
}

export interface Turn {
  readonly role: "user" | "assistant";
  readonly text: string;
  /** Results of tools that this turn reports back. */
  readonly results: readonly string[];
}

export interface ModelRequest {
  readonly kind: ModelInterface;
  readonly model: string;
  readonly isStreamed: boolean;
  /** The answer must be JSON of this schema. */
  readonly schema?: unknown;
  readonly tools: readonly OfferedTool[];
  readonly turns: readonly Turn[];
}

type Fields = Readonly<Record<string, unknown>>;

export const fieldsOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
const listOf = (value: unknown): Fields[] => (Array.isArray(value) ? value.map(fieldsOf) : []);
const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** The text of a message's content: a string, or a list of parts of which some have text. */
function contentText(content: unknown): string {
  if (typeof content === "string") return content;
  const parts = Array.isArray(content) ? (content as unknown[]) : [];
  return parts
    .map((part) => (typeof part === "string" ? part : textOf(fieldsOf(part)["text"])))
    .filter((text) => text !== "")
    .join("\n");
}

function offeredTool(name: unknown, schema: unknown, isFreeform = false): OfferedTool[] {
  const properties = Object.keys(fieldsOf(fieldsOf(schema)["properties"]));
  return typeof name === "string" ? [{ name, properties, isFreeform }] : [];
}

function roleOf(role: unknown): Turn["role"] {
  return role === "assistant" || role === "model" ? "assistant" : "user";
}

function readMessages(body: Fields): Omit<ModelRequest, "kind"> {
  const format = fieldsOf(fieldsOf(body["output_config"])["format"] ?? body["output_format"]);
  return {
    model: textOf(body["model"]),
    isStreamed: body["stream"] === true,
    schema: format["schema"],
    tools: listOf(body["tools"]).flatMap((tool) => offeredTool(tool["name"], tool["input_schema"])),
    turns: listOf(body["messages"])
      .filter(({ role }) => role !== "system")
      .map(({ role, content }) => {
        const results = listOf(content).filter((part) => part["type"] === "tool_result");
        return {
          role: roleOf(role),
          text:
            typeof content === "string"
              ? content
              : contentText(listOf(content).filter((part) => part["type"] === "text")),
          results: results.map((part) => contentText(part["content"])),
        };
      }),
  };
}

function readChat(body: Fields): Omit<ModelRequest, "kind"> {
  const messages = listOf(body["messages"]).filter(({ role }) => role !== "system" && role !== "developer");
  return {
    model: textOf(body["model"]),
    isStreamed: body["stream"] === true,
    schema: fieldsOf(fieldsOf(body["response_format"])["json_schema"])["schema"],
    tools: listOf(body["tools"]).flatMap((tool) => {
      const described = fieldsOf(tool["function"]);
      return offeredTool(described["name"], described["parameters"]);
    }),
    turns: messages.map(({ role, content }) =>
      role === "tool"
        ? { role: "user", text: "", results: [contentText(content)] }
        : { role: roleOf(role), text: contentText(content), results: [] },
    ),
  };
}

/** A tool that runs a script: the tools which the script may call are named in its description. */
function scriptedTools(tool: Fields): OfferedTool[] {
  const within = textOf(tool["name"]);
  const named = [...textOf(tool["description"]).matchAll(/tools: \{ ?(\w+)\(([^)]*)\)/g)];
  return named.map(([, name = "", declared = ""]) => ({
    name,
    properties: [...declared.matchAll(/(\w+)\??:/g)].map(([, property = ""]) => property),
    isFreeform: name === "apply_patch",
    within,
  }));
}

function responsesTools(tool: Fields): OfferedTool[] {
  if (tool["type"] === "namespace") return listOf(tool["tools"]).flatMap(responsesTools);
  const isFreeform = tool["type"] === "custom";
  return [...offeredTool(tool["name"], tool["parameters"], isFreeform), ...(isFreeform ? scriptedTools(tool) : [])];
}

function readResponses(body: Fields): Omit<ModelRequest, "kind"> {
  const input = body["input"];
  const items = typeof input === "string" ? [{ role: "user", content: input }] : listOf(input);
  const added = items.filter((item) => item["type"] === "additional_tools").flatMap((item) => listOf(item["tools"]));
  const turns = items.flatMap((item): Turn[] => {
    if (textOf(item["type"]).endsWith("_call_output")) {
      const { output } = item;
      return [{ role: "user", text: "", results: [contentText(fieldsOf(output)["content"] ?? output)] }];
    }
    const isMessage = item["role"] === "user" || item["role"] === "assistant";
    return isMessage ? [{ role: roleOf(item["role"]), text: contentText(item["content"]), results: [] }] : [];
  });
  return {
    model: textOf(body["model"]),
    isStreamed: body["stream"] === true,
    schema: fieldsOf(fieldsOf(body["text"])["format"])["schema"],
    tools: [...listOf(body["tools"]), ...added].flatMap(responsesTools),
    turns,
  };
}

function readGemini(body: Fields, path: string): Omit<ModelRequest, "kind"> {
  const settings = fieldsOf(body["generationConfig"]);
  const isJson = settings["responseMimeType"] === "application/json";
  return {
    model: /models\/([^:/]+)/.exec(path)?.[1] ?? "",
    isStreamed: path.includes(":streamGenerateContent"),
    schema: settings["responseJsonSchema"] ?? settings["responseSchema"] ?? (isJson ? {} : undefined),
    tools: listOf(body["tools"])
      .flatMap((tool) => listOf(tool["functionDeclarations"]))
      .flatMap((tool) => offeredTool(tool["name"], tool["parametersJsonSchema"] ?? tool["parameters"])),
    turns: listOf(body["contents"]).map(({ role, parts }) => {
      const answers = listOf(parts).filter((part) => part["functionResponse"] !== undefined);
      return {
        role: roleOf(role),
        text: contentText(parts),
        results: answers.map((part) => JSON.stringify(fieldsOf(part["functionResponse"])["response"] ?? null)),
      };
    }),
  };
}

const PATHS: readonly { readonly kind: ModelInterface; readonly path: RegExp }[] = [
  { kind: "messages", path: /\/messages$/ },
  { kind: "responses", path: /\/responses$/ },
  { kind: "chat", path: /\/chat\/completions$/ },
  { kind: "gemini", path: /:(streamG|g)enerateContent$/ },
];

/** Understands a request by the end of its path; undefined when it is none for an answer of a model. */
export function readModelRequest(path: string, body: unknown): ModelRequest | undefined {
  const kind = PATHS.find((row) => row.path.test(path))?.kind;
  const fields = fieldsOf(body);
  switch (kind) {
    case "messages":
      return { kind, ...readMessages(fields) };
    case "responses":
      return { kind, ...readResponses(fields) };
    case "chat":
      return { kind, ...readChat(fields) };
    case "gemini":
      return { kind, ...readGemini(fields, path) };
    case undefined:
      return undefined;
  }
}
