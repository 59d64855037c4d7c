/**
 * Writes the pages of docs/ that come from the sources: `npm run docs`. With `--check` it writes nothing and fails when a
 * page is not what it would write.
 */

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { renderAttachSettings, renderCommandsPage } from "@pohunek/cli/reference";
import { renderSettings } from "@pohunek/host/settings";
import { renderErrorsPage } from "./docs/errors-page.ts";
import { renderProtocolPage } from "./docs/protocol-page.ts";

const ROOT = join(import.meta.dir, "..");

interface Page {
  readonly path: string;
  readonly render: () => string | Promise<string>;
}

const PAGES: readonly Page[] = [
  { path: "docs/protocol.md", render: () => renderProtocolPage(join(ROOT, "docs/protocol.md")) },
  { path: "docs/errors.md", render: () => renderErrorsPage(ROOT) },
  { path: "docs/config.md", render: () => `${renderSettings()}\n${renderAttachSettings()}` },
  { path: "docs/cli.md", render: renderCommandsPage },
];

const isCheck = process.argv.includes("--check");
const stale: string[] = [];
for (const { path, render } of PAGES) {
  const file = join(ROOT, path);
  const before = existsSync(file) ? readFileSync(file, "utf8") : "";
  const after = await render();
  if (before === after) continue;
  stale.push(path);
  if (!isCheck) writeFileSync(file, after);
}
const isStale = isCheck && stale.length > 0;
if (stale.length > 0)
  console.log(isCheck ? `out of date, run npm run docs: ${stale.join(", ")}` : `written: ${stale.join(", ")}`);
process.exitCode = isStale ? 1 : 0;
