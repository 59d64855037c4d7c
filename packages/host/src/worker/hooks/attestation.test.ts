import { describe, expect, test } from "bun:test";
import type { ProcessFacts } from "../../platform/index.ts";
import type { HookClaim } from "../../worker-api/hooks.ts";
import { Attestation } from "./attestation.ts";

const NOW_MS = 1_000_000;

/** A process of a made-up tree. The start identity is ten times the pid unless it says otherwise. */
interface Made {
  readonly pid: number;
  readonly parent: number;
  readonly program: string;
  readonly start?: string;
  readonly words?: readonly string[];
}

class Tree {
  readonly #made: Made[];

  constructor(...made: Made[]) {
    this.#made = made;
  }

  replace(made: Made): void {
    const at = this.#made.findIndex(({ pid }) => pid === made.pid);
    this.#made.splice(at, 1, made);
  }

  list = (): ProcessFacts[] =>
    this.#made.map(({ pid, parent, program, start = String(pid * 10) }) => ({
      pid,
      parent,
      group: pid,
      session: pid,
      startIdentity: start,
      program,
      run: "sleeping",
      cpuSeconds: 0,
      foregroundGroup: undefined,
    }));
  read = (pid: number): ProcessFacts | undefined => this.list().find((each) => each.pid === pid);
  readArguments = (pid: number): string[] | undefined => {
    const made = this.#made.find((each) => each.pid === pid);
    return made && [...(made.words ?? [made.program])];
  };
  readExecutable = (): string | undefined => undefined;
}

function attestationOf(tree: Tree, calledAs = "wrapper"): Attestation {
  const rules = { provider: "demo", schema: "named_for_provider", process_names: ["demo"] } as const;
  const root = { pid: 10, start_identity: "100" };
  return new Attestation({ rules, root, calledAs, entrypoint: undefined }, tree);
}

/** What is wrong with a report about `pid` that `peer` sends. */
function faultOf(attestation: Attestation, pid: number, peer: number): string | undefined {
  const claim: HookClaim = {
    runtime_id: "w-1",
    provider: "demo",
    pid,
    start_identity: String(pid * 10),
    sequence: 1n,
    expiresAtMs: NOW_MS + 1000,
  };
  return attestation.faultOf(claim, { pid: peer, uid: 0, gid: 0, startIdentity: String(peer * 10) }, NOW_MS);
}

const hook = (pid: number, parent: number): Made => ({ pid, parent, program: "pohunek" });

describe("the launch agent", () => {
  test("is the first of its name below the root: behind a wrapper, as a script, or the root itself", () => {
    const wrapped = new Tree(
      { pid: 10, parent: 1, program: "sh", words: ["sh", "/opt/wrapper"] },
      { pid: 11, parent: 10, program: "node", words: ["node", "--flag", "/opt/demo.mjs"] },
      { pid: 12, parent: 11, program: "sh", words: ["sh", "-c", "hook"] },
      hook(13, 12),
      hook(14, 10),
    );
    const attestation = attestationOf(wrapped);
    expect(faultOf(attestation, 11, 13)).toBeUndefined();
    expect(faultOf(attestation, 11, 11)).toBeUndefined();
    // The wrapper is no agent, and what it runs beside the agent is not below it.
    expect(faultOf(attestation, 10, 14)).toBe("not_launch_agent");
    expect(faultOf(attestation, 11, 14)).toBe("peer_outside_subject");
    const plain = new Tree({ pid: 10, parent: 1, program: "demo" }, hook(11, 10));
    expect(faultOf(attestationOf(plain), 10, 11)).toBeUndefined();
  });

  test("is the root that was started by its name, also where its script is called otherwise", () => {
    const tree = new Tree(
      { pid: 10, parent: 1, program: "MainThread", words: ["node", "/opt/cli-entry.js"] },
      { pid: 11, parent: 10, program: "MainThread", words: ["node", "/opt/cli.js"] },
      hook(12, 11),
    );
    expect(faultOf(attestationOf(tree, "demo"), 10, 12)).toBeUndefined();
    expect(faultOf(attestationOf(tree, "demo"), 11, 12)).toBe("not_launch_agent");
    expect(faultOf(attestationOf(tree, "other"), 10, 12)).toBe("not_launch_agent");
  });

  test("may have a helper of its name that it started itself, and no agent in between", () => {
    const tree = new Tree(
      { pid: 10, parent: 1, program: "demo" },
      { pid: 20, parent: 10, program: "demo" },
      hook(21, 20),
      { pid: 30, parent: 10, program: "bash" },
      { pid: 31, parent: 30, program: "demo" },
      hook(32, 31),
    );
    const attestation = attestationOf(tree);
    expect(faultOf(attestation, 20, 21)).toBeUndefined();
    expect(faultOf(attestation, 31, 32)).toBe("not_launch_agent");
    // Who is below another agent does not speak for the first one.
    expect(faultOf(attestation, 10, 32)).toBe("not_launch_agent");
    expect(faultOf(attestation, 10, 21)).toBe("not_launch_agent");
  });

  test("is fixed once: a second one in its place, or with its pid, is another one", () => {
    const tree = new Tree(
      { pid: 10, parent: 1, program: "sh" },
      { pid: 11, parent: 10, program: "demo" },
      hook(12, 11),
      { pid: 13, parent: 10, program: "demo" },
      hook(14, 13),
    );
    const attestation = attestationOf(tree);
    expect(faultOf(attestation, 11, 12)).toBeUndefined();
    expect(faultOf(attestation, 13, 14)).toBe("not_launch_agent");
    tree.replace({ pid: 11, parent: 10, program: "demo", start: "999" });
    expect(faultOf(attestation, 11, 12)).toBe("subject_gone");
  });

  test("is nobody when a peer that has gone is another process by now", () => {
    const tree = new Tree({ pid: 10, parent: 1, program: "demo" }, { ...hook(11, 10), start: "999" });
    expect(faultOf(attestationOf(tree), 10, 11)).toBe("peer_outside_subject");
  });
});
