import { join } from "node:path";
import type { Host } from "../../support/index.ts";
import { installRuntime, StubAgent } from "../../support/index.ts";

/** What the actor's package says about its screens. */
export const ACTOR_MANIFEST = `schema = 1
[composer]
regex = '^>'
[[rule]]
id = "question"
state = "blocked"
detail = "approval"
priority = 100
region = "tail"
contains = "May I"
not = { region = "composer", regex = '.' }
choose = "number"
[rule.capture]
region = "tail"
question = '(?<question>May I [^?]*\\?)'
options = '^(?<marker>[*])? *(?<key>\\d)\\. (?<label>.+)$'
[[rule]]
id = "busy"
state = "working"
priority = 50
region = "above_composer"
contains = "busy with it"
[[rule]]
id = "composer"
state = "idle"
region = "composer"
regex = '.'
`;

const SCENES = String.raw`
idle() { printf '\033[H\033[2Jactor of the test\r\n> \r\nat your service'; }
work() { printf '\033[H\033[2Jbusy with it\r\n> \r\nwait a moment'; }
ask() { printf '\033[H\033[2JMay I remove %s?\r\n* 1. Yes\r\n  2. No, never\r\n' "$1"; }
strange() { printf '\033[H\033[2Jsomething nobody knows\r\n'; }
say() { printf '\033]7501;state=%s\033\\' "$1"; }
burn() { while :; do :; done; }
stty -echo 2>/dev/null
idle
while :; do
  read -r line <"$stage" || continue
  [ "$line" = leave ] && exit 0
  eval "$line"
done
`;

/** A stand-in agent that shows what it is told to, over a pipe, so that its terminal is left alone. */
export class Actor {
  readonly program: string;
  readonly #stage: string;

  constructor(host: Host, name = "actor") {
    this.#stage = join(host.roots.base, `stage-${name}`);
    // Not by its name: the check of what is installed takes that for a package's program.
    Bun.spawnSync(["sh", "-c", `mkfifo "$1"`, "sh", this.#stage]);
    this.program = new StubAgent(host.roots, name, `stage=${this.#stage}\n${SCENES}`).program;
  }

  static async install(host: Host): Promise<void> {
    await installRuntime(host, "actor", { detection: ACTOR_MANIFEST });
  }

  /** Settles once the actor has it. */
  async play(line: string): Promise<void> {
    const command = ["timeout", "10", "sh", "-c", 'printf "%s\\n" "$1" >"$2"', "sh", line, this.#stage];
    if ((await Bun.spawn(command).exited) !== 0) throw new Error(`the actor does not take: ${line}`);
  }
}
