/** Turns "run this command" into a call of the tool that the asking agent offers for it, with that tool's arguments. */

import type { ModelRequest, OfferedTool } from "./conversation.ts";
import type { ToolCall } from "./reply.ts";

export type Wish =
  | { readonly kind: "shell"; readonly command: string; readonly leavesSandbox: boolean }
  | { readonly kind: "write"; readonly file: string; readonly content: string }
  | { readonly kind: "question"; readonly question: string }
  | { readonly kind: "helper"; readonly prompt: string };

/** Names under which agents offer a tool, the preferred one first. */
const TOOL_NAMES: Readonly<Record<Wish["kind"], readonly string[]>> = {
  shell: ["Bash", "bash", "run_shell_command", "exec_command", "shell_command", "shell"],
  write: ["Write", "write", "write_file", "create", "apply_patch"],
  question: ["AskUserQuestion", "question", "ask_user_question", "ask_user", "request_user_input"],
  helper: ["Agent", "Task", "task", "agent", "spawn_agent"],
};

type Arguments = Readonly<Record<string, unknown>>;

const OPTIONS = [
  { label: "Red", description: "The red one" },
  { label: "Blue", description: "The blue one" },
];

/** Every argument that some agent's tool has for a wish; those that the tool at hand does not have are left out. */
function possibleArguments(wish: Wish): Arguments {
  switch (wish.kind) {
    case "shell":
      return {
        command: wish.command,
        cmd: wish.command,
        description: "Run a command",
        is_background: false,
        ...(wish.leavesSandbox && { sandbox_permissions: "require_escalated", justification: "It needs more" }),
      };
    case "write":
      return {
        file_path: wish.file,
        filePath: wish.file,
        path: wish.file,
        content: wish.content,
        file_text: wish.content,
      };
    case "question": {
      const one = { id: "q1", question: wish.question, header: "Choice", options: OPTIONS };
      const several = { multiSelect: false, multiple: false, type: "choice" };
      return {
        questions: [{ ...one, ...several }],
        question: wish.question,
        choices: OPTIONS.map(({ label }) => label),
      };
    }
    case "helper":
      return {
        prompt: wish.prompt,
        message: wish.prompt,
        description: "A part of the work",
        name: "part",
        mode: "sync",
        subagent_type: "general-purpose",
        agent_type: "general-purpose",
      };
  }
}

function patchOf(file: string, content: string): string {
  const added = content.trimEnd().split("\n");
  return ["*** Begin Patch", `*** Add File: ${file}`, ...added.map((line) => `+${line}`), "*** End Patch", ""].join(
    "\n",
  );
}

function inputFor(tool: OfferedTool, wish: Wish): ToolCall["input"] {
  if (tool.name === "apply_patch" && wish.kind === "write") {
    const patch = patchOf(wish.file, wish.content);
    return tool.isFreeform ? patch : { [tool.properties[0] ?? "input"]: patch };
  }
  const wanted = Object.entries(possibleArguments(wish)).filter(([name]) => tool.properties.includes(name));
  return Object.fromEntries(wanted);
}

/** Undefined when the agent offers no tool for it. */
export function callFor(request: ModelRequest, wish: Wish): ToolCall | undefined {
  const names = TOOL_NAMES[wish.kind];
  const tool = names.flatMap((name) => request.tools.filter((offered) => offered.name === name))[0];
  if (tool === undefined) return undefined;
  const input = inputFor(tool, wish);
  if (tool.within === undefined) return { name: tool.name, input };
  return { name: tool.within, input: `text(await tools.${tool.name}(${JSON.stringify(input)}));` };
}
