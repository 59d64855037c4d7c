/**
 * The one program: CLI, host daemon, session worker, and what agents' hooks run. The name it is called by or its first words choose the main, and
 * each main stands behind its own `import()`, so that a command never evaluates the modules of another.
 */

type Main = (args: readonly string[], env: NodeJS.ProcessEnv) => Promise<number>;

interface Choice {
  readonly load: () => Promise<Main>;
  readonly args: readonly string[];
}

const loadDaemon = async (): Promise<Main> => (await import("@pohunek/host/daemon")).main;
const loadWorker = async (): Promise<Main> => (await import("@pohunek/host/worker")).main;
const loadHook = async (): Promise<Main> => (await import("@pohunek/host/hook")).main;
const loadCli = async (): Promise<Main> => (await import("@pohunek/cli")).main;

function chooseMain(calledAs: string, args: readonly string[]): Choice {
  const name = calledAs.slice(calledAs.lastIndexOf("/") + 1);
  if (name === "pohunekd") return { load: loadDaemon, args };
  if (name === "pohunek-sessiond") return { load: loadWorker, args };
  if (args[0] === "daemon" && args[1] === "run") return { load: loadDaemon, args: args.slice(2) };
  if (args[0] === "hook") return { load: loadHook, args: args.slice(1) };
  if (args[0] === "worker" && args[1] === "run") return { load: loadWorker, args: args.slice(2) };
  return { load: loadCli, args };
}

async function runChosenMain(): Promise<number> {
  // A compiled program has its own path in argv[1]; argv0 alone keeps the name it was called by.
  const choice = chooseMain(process.argv0, process.argv.slice(2));
  const main = await choice.load();
  return main(choice.args, process.env);
}

runChosenMain().then(
  (code) => process.exit(code),
  (cause: unknown) => {
    process.stderr.write(
      `pohunek: internal error: ${cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)}\n`,
    );
    process.exit(1);
  },
);
