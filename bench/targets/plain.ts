import type { Target } from "./target.ts";

/** No keeper at all: the program runs in the outer terminal itself. */
export function openPlain(env: Readonly<Record<string, string>>): Target {
  const programs = new Map<string, readonly string[]>();
  return {
    name: "plain",
    env,
    create: (session, argv) => void programs.set(session, argv),
    attachCommand: (session) => programs.get(session) ?? [],
    listCommand: () => ["true"],
    destroy: (session) => void programs.delete(session),
    sessionProcesses: () => [],
    serverProcesses: () => [],
    [Symbol.asyncDispose]: async () => {},
  };
}
