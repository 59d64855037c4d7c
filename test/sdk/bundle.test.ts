import { expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A text that only zod's sources hold. */
const ZOD_MARK = "ZodError";

interface Bundle {
  readonly text: string;
  readonly imports: readonly string[];
}

/** What a bundle still imports: modules of the runtime, since everything else is bundled. */
const IMPORT = /\b(?:from|import|require|import\()\s*\(?"([^"]+)"/g;

/** A folder of its own, from which packages are found as from anywhere in the repository. */
const CACHE = join(import.meta.dir, "../../node_modules/.cache");

/** Bundles a program that imports everything of a package's entry. */
async function bundle(entry: string): Promise<Bundle> {
  mkdirSync(CACHE, { recursive: true });
  const directory = mkdtempSync(join(CACHE, "bundle-"));
  try {
    const program = join(directory, "program.ts");
    writeFileSync(program, `import * as everything from "${entry}";\nconsole.log(everything);\n`);
    const { outputs, success, logs } = await Bun.build({ entrypoints: [program], target: "bun", conditions: ["bun"] });
    if (!success) throw new AggregateError(logs, `${entry} cannot be bundled`);
    const text = (await outputs[0]?.text()) ?? "";
    return { text, imports: [...text.matchAll(IMPORT)].map((match) => match[1] ?? "") };
  } finally {
    rmSync(directory, { recursive: true });
  }
}

test("the client and the wire half of the protocol load no schema library", async () => {
  for (const entry of ["@pohunek/protocol/wire", "@pohunek/sdk", "@pohunek/sdk/node", "@pohunek/sdk/web"]) {
    const { text } = await bundle(entry);
    expect({ entry, hasZod: text.includes(ZOD_MARK), isThere: text.length > 1_000 }).toEqual({
      entry,
      hasZod: false,
      isThere: true,
    });
  }
  for (const entry of ["@pohunek/protocol", "@pohunek/sdk/validate"]) {
    expect((await bundle(entry)).text).toContain(ZOD_MARK);
  }
});

test("what browsers load needs no modules of Node or Bun", async () => {
  for (const entry of [
    "@pohunek/protocol",
    "@pohunek/protocol/wire",
    "@pohunek/sdk",
    "@pohunek/sdk/web",
    "@pohunek/sdk/validate",
  ]) {
    expect({ entry, imports: (await bundle(entry)).imports }).toEqual({ entry, imports: [] });
  }
  expect((await bundle("@pohunek/sdk/node")).imports).toEqual([expect.stringMatching(/^(?:node:)?net$/) as never]);
});
