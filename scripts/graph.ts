/** Runs the structural checks: `bun scripts/graph.ts`. */

import { join } from "node:path";
import { checkGraph } from "./checks/graph.ts";
import { readSourceFiles } from "./checks/source-files.ts";
import { checkStructure } from "./checks/structure.ts";

const root = join(import.meta.dir, "..");
const files = readSourceFiles(root);
const findings = [...checkGraph(root, files), ...checkStructure(root, files)];
for (const { path, line, message } of findings) console.error(`${path}:${line}: ${message}`);
console.log(
  `${files.length} files, ${files.reduce((sum, file) => sum + file.imports.length, 0)} imports, ${findings.length} findings`,
);
process.exitCode = findings.length === 0 ? 0 : 1;
