import { expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { methods, schemaNotes } from "@pohunek/protocol";
import { METHODS } from "@pohunek/protocol/wire";
import { enumNames } from "./enum-names.ts";
import { fillSections } from "./marked-sections.ts";
import { renderProtocolPage } from "./protocol-page.ts";
import { messageText } from "./schema-text.ts";

const PAGE = join(import.meta.dir, "../../docs/protocol.md");

/** Renders the page after somebody changed it by hand. */
function renderChanged(change: (page: string) => string): string {
  const directory = mkdtempSync(join(tmpdir(), "pohunek-docs-"));
  try {
    const path = join(directory, "protocol.md");
    writeFileSync(path, change(readFileSync(PAGE, "utf8")));
    return renderProtocolPage(path);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

test("what is generated is put right, what is written by hand stays", () => {
  const page = readFileSync(PAGE, "utf8");
  expect(renderChanged((text) => text.replace("| `session.stop` |", "| `session.halt` |"))).toBe(page);
  expect(renderChanged((text) => text.replace("# The public protocol", "# Another title"))).toStartWith(
    "# Another title",
  );
});

test("a page without a section, or with one too many, is refused", () => {
  expect(() => renderChanged((text) => text.replace("<!-- generated: events -->", ""))).toThrow("no place for events");
  expect(() => fillSections("<!-- generated: moon -->\n<!-- end -->", {})).toThrow("asks for a section moon");
});

test("every method has its line, with what must be known about it", () => {
  const lines = readFileSync(PAGE, "utf8").split("\n");
  for (const [name, row] of Object.entries(METHODS)) {
    const cells = lines.find((line) => line.startsWith(`| \`${name}\` |`))?.split(/(?<!\\) \| /) ?? [];
    expect({ name, today: cells.at(-1) }).toEqual({ name, today: row.implemented ? "yes |" : "no |" });
    expect({ name, right: cells.at(-2) }).toMatchObject({
      right: expect.stringContaining(row.right === "local_only" ? "L" : row.right) as never,
    });
  }
});

test("schemas are written as a reader needs them", () => {
  expect(messageText(methods["daemon.health"].params)).toBe("-");
  expect(messageText(methods["session.inspect"].params)).toBe("session id");
  expect(messageText(methods["session.screen"].params)).toBe("`session_id` (strict)");
  expect(messageText(methods["host.discover"].params)).toBe("`force`? bool = false or null");
  expect(messageText(methods["session.list"].result)).toBe("SessionInfo[]");
  expect(messageText(methods["session.wait"].params)).toContain(
    "`states`? SessionState[], `activities`? AgentActivity[], `timeout_ms` 1..8000",
  );
});

test("every list of values has a name that reads as one", () => {
  const names = [...enumNames.values()];
  for (const name of [
    "SessionState",
    "AgentActivity",
    "HostClass",
    "DoctorStatus",
    "IntegrationRecovery",
    "CwdSource",
  ]) {
    expect(names).toContain(name);
  }
  expect(new Set(names).size).toBe(names.length);
});

test("nothing is called ours that the protocol has, and what is ours is marked", () => {
  const page = readFileSync(PAGE, "utf8");
  expect(page).toContain("`activity_detail`? ActivityDetail (ours)");
  expect(page).toContain("| `activity_detail`? | ActivityDetail | ours |");
  const session = page.slice(page.indexOf("### SessionInfo"), page.indexOf("### SessionRuntime"));
  expect(session).toContain("| `activity`? | AgentActivity |  |");
  expect(schemaNotes.get(methods["session.list"].result)).toBeUndefined();
});
