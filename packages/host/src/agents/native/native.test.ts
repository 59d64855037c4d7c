import { describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nameMatcher, referenceInName, referenceInText } from "./name-pattern.ts";
import type { OpenFileSearch } from "./open-file.ts";
import { referencesOfOpenFiles } from "./open-file.ts";
import { checkReference, isReference, newReference } from "./reference.ts";
import { assignsNewReference, fillReferences } from "./reference-arguments.ts";
import { findConversation } from "./stored-conversation.ts";

type Facts = ReturnType<OpenFileSearch["processes"]["list"]>[number];

class Folder implements Disposable {
  readonly path = realpathSync(mkdtempSync(join(tmpdir(), "pohunek-")));

  file(...parts: string[]): void {
    const path = join(this.path, ...parts);
    mkdirSync(join(path, ".."), { recursive: true });
    writeFileSync(path, "");
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

describe("references", () => {
  test("stay one argument, whatever is in them", () => {
    const filled = fillReferences(["-r", "{reference}", "x{reference}"], { reference: "a b; touch c" });
    expect(filled).toEqual(["-r", "a b; touch c", "x{reference}"]);
    const fork = ["--again", "{reference}", "--as", "{new_reference}"];
    expect(fillReferences(fork, { reference: "old", newReference: "new" })).toEqual(["--again", "old", "--as", "new"]);
    expect([assignsNewReference(fork), assignsNewReference(["{reference}"])]).toEqual([true, false]);
  });

  test("that look like options, climb, ring or fill the disk are refused", () => {
    for (const id of [newReference(), "with space; and more", "x".repeat(512)]) {
      expect(isReference("id", id)).toBe(true);
    }
    for (const id of ["", "-r", "--resume", "a\u0007", "a\nb", "a\u009b", "x".repeat(513), "ü".repeat(257)]) {
      expect(isReference("id", id)).toBe(false);
    }
    expect(isReference("path", "/talks/-x y.jsonl")).toBe(true);
    for (const path of ["talk.jsonl", "~/talk.jsonl", "", `/${"x".repeat(4096)}`, "/a\u0000"]) {
      expect(isReference("path", path)).toBe(false);
    }
    const check = (): void => checkReference("id", "-secret");
    expect(check).toThrow(expect.objectContaining({ code: "invalid_session_ref" }));
    expect(check).not.toThrow("secret");
  });
});

describe("a pattern of a package", () => {
  test("names a reference as a whole name", () => {
    expect(referenceInName("{reference}.lock", "01a-b.lock")).toBe("01a-b");
    expect(referenceInName("rollout-*-{reference}.jsonl", "rollout-2026-01-01T00-x.jsonl")).toBe("x");
    expect(referenceInName("{reference}.lock", "01a-b.lock.tmp")).toBeUndefined();
    expect(referenceInName("{reference}+lock", "ab+lock")).toBe("ab");
    expect(nameMatcher("*_{reference}.jsonl", "a.b")("x_a.b.jsonl")).toBe(true);
    expect(nameMatcher("*_{reference}.jsonl", "a.b")("x_aXb.jsonl")).toBe(false);
  });

  test("finds the last line that says how to go on", () => {
    const lines = ["use: parrot --again OLD-1", "bye. Go on with `parrot --again new_2`.", "$ "];
    expect(referenceInText("parrot --again {reference}", lines)).toBe("new_2");
    expect(referenceInText("parrot --again {reference}", ["xparrot --again a", "parrot --again -x"])).toBeUndefined();
    expect(referenceInText("parrot -s {reference}", ["  parrot -s abc."])).toBe("abc");
  });
});

describe("the conversation on disk", () => {
  const store = { directory: "talks", name: "*-{reference}.txt" };

  test("is found four folders deep and no deeper, as a file or a folder", async () => {
    using home = new Folder();
    const find = (reference: string) => findConversation({ configHome: home.path, store, reference });
    expect(await find("none")).toEqual({ kind: "missing" });
    home.file("talks", "a", "b", "c", "d", "at-deep.txt");
    home.file("talks", "a", "b", "c", "d", "e", "at-deeper.txt");
    home.file("talks", "in-folder.txt", "events");
    home.file("elsewhere", "at-none.txt");
    expect([(await find("deep")).kind, (await find("folder")).kind]).toEqual(["found", "found"]);
    expect([await find("deeper"), await find("none")]).toEqual([{ kind: "missing" }, { kind: "missing" }]);
  });

  test("is not judged when there is too much to look through", async () => {
    using home = new Folder();
    for (let index = 0; index <= 50; index += 1) mkdirSync(join(home.path, "talks", `f${index}`), { recursive: true });
    for (let index = 0; index < 50_000; index += 1)
      writeFileSync(join(home.path, "talks", `f${index % 50}`, `${index}`), "");
    expect(await findConversation({ configHome: home.path, store, reference: "none" })).toEqual({ kind: "unclear" });
  }, 60_000);
});

test("open files name a conversation, of the program or of what it started", () => {
  const facts = (pid: number, parent: number) => ({ pid, parent }) as Facts;
  const open = new Map([
    [10, ["/home/a/.parrot/other/x.lock", "/dev/null"]],
    [11, ["/home/a/.parrot/locks/01a.lock", "/home/a/.parrot/locks/01a.lock", "/home/a/.parrot/locks/deep/y.lock"]],
    [12, ["/home/a/.parrot/locks/not-below.lock"]],
  ]);
  const processes = {
    list: () => [facts(10, 1), facts(11, 10), facts(12, 1)],
    listOpenFiles: (pid: number) => open.get(pid) ?? [],
  };
  const search = {
    processes,
    configHome: "/home/a/.parrot",
    openFile: { directory: "locks", name: "{reference}.lock" },
  };
  expect(referencesOfOpenFiles({ ...search, rootPid: 10, kind: "id" })).toEqual(["01a"]);
  expect(referencesOfOpenFiles({ ...search, rootPid: 11, kind: "path" })).toEqual(["/home/a/.parrot/locks/01a.lock"]);
  expect(referencesOfOpenFiles({ ...search, rootPid: 99, kind: "id" })).toEqual([]);
});
