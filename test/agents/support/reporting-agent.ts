import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { HostOptions } from "../../support/host.ts";
import type { Host, SessionFacts } from "../../support/index.ts";
import {
  installRuntime,
  programCommand,
  StubAgent,
  startHost,
  stubPath,
  TempRoots,
  until,
} from "../../support/index.ts";

const SENDER = join(import.meta.dir, "..", "..", "fixtures", "says-lines.ts");

/**
 * Runs, line by line: `hook EVENT JSON` as agents run their hooks, in a terminal session of its own; the same `nested` in
 * another agent of its name below a shell; `say SOCKET JSON` a line to a socket; `become SOCKET JSON` the same as itself.
 */
const body = (hook: string): string =>
  String.raw`
run_hook() { printf '%s' "$2" | setsid -w sh -c "${hook} $1"; echo "exit=$?"; }
if [ "$1" = nested ]; then run_hook "$2" "$3"; exit; fi
echo "ready"
while read -r tag line; do
  word=\${line%% *}; rest=\${line#* }; first=\${rest%% *}; second=\${rest#* }
  case "$word" in
    hook) run_hook "$first" "$second";;
    many) for i in 1 2 3 4 5 6; do run_hook "$first" "{\"agent_id\":\"many-$i\"}" & done; wait;;
    large) head -c 70000 /dev/zero | tr '\0' x | setsid -w sh -c "${hook} $first"; echo "exit=$?";;
    nested) sh -c 'reporter nested "$1" "$2"; true' x "$first" "$second";;
    run) printf '%s' "$second" | setsid -w sh "$HOME/$first"; echo "exit=$?";;
    say) printf '%s' "$second" | ${process.execPath} ${SENDER} "$first";;
    become) printf '%s' "$second" >"$HOME/line"; exec ${process.execPath} ${SENDER} "$first" <"$HOME/line";;
  esac
  echo "$tag-done"
done
`.replaceAll("\\${", "${");

export type ReportingFacts = SessionFacts & {
  readonly native_session_id?: string;
  readonly active_agent?: string;
  readonly subagents?: readonly { id: string; lifecycle: string; agent_type?: string; provider: string }[];
};

export interface ReportingStage extends AsyncDisposable {
  readonly host: Host;
  readonly roots: TempRoots;
  /** Of the reporter's package. */
  readonly digest: string;
}

export const REPORTER_TABLES = (schema: string): string => `[config_home]
variable = "REPORTER_HOME"
default = ".reporter"
[native_reference]
kind = "id"
strategy = "reported"
[resume]
args = ["--again", "{reference}"]
[hooks]
handler = "claude"
schema = "${schema}"
`;

/** A host with the agent \`reporter\`, whose hooks are those of a handler that is compiled in. */
export async function startReporting(
  schema = "named_for_provider",
  options: Pick<HostOptions, "config" | "env"> = {},
): Promise<ReportingStage> {
  const roots = new TempRoots();
  const hook = programCommand("hook", "claude").join(" ");
  void new StubAgent(roots, "reporter", body(hook));
  const host = await startHost({ ...options, roots, env: { PATH: stubPath(roots), ...options.env } });
  const digest = await installRuntime(host, "reporter", REPORTER_TABLES(schema));
  return { host, roots, digest, [Symbol.asyncDispose]: () => host[Symbol.asyncDispose]() };
}

export async function newReporter(host: Host): Promise<ReportingFacts> {
  const session = await host.newSession({ agent: "reporter", command: undefined, cols: 400 });
  await using attach = await host.attach(session.id);
  await attach.until("ready");
  return session;
}

export async function look(host: Host, id: string): Promise<ReportingFacts> {
  return await host.inspect(id);
}

/** Has the agent run one of its lines, and returns what it prints until it is done. */
export async function tell(
  host: Host,
  id: string,
  what: string | readonly [line: string, end: string],
): Promise<string> {
  const [line, end] = typeof what === "string" ? [what, undefined] : what;
  const tag = `t${Math.random().toString(36).slice(2)}`;
  await using attach = await host.attach(id);
  attach.write(`${tag} ${line}\r`);
  await attach.until(end ?? `${tag}-done`);
  return attach.text.slice(attach.text.lastIndexOf(`${tag} `));
}

/** What hooks could not deliver. */
export async function traced(roots: TempRoots, count: number): Promise<readonly Record<string, string>[]> {
  const path = join(roots.state, "logs", "pohunek-hooks.jsonl");
  return await until(`${count} traced lines`, () => {
    const lines = existsSync(path) ? readFileSync(path, "utf8").trimEnd().split("\n") : [];
    return lines.length >= count && lines.map((line) => JSON.parse(line) as Record<string, string>);
  });
}
