import { expect, test } from "bun:test";
import type { NativeLaunch, NativeReference } from "./native-launch.ts";
import { openSealedLaunch, readNativeLaunch, readNativeReference, sealLaunch } from "./native-launch.ts";

const LAUNCH: NativeLaunch = {
  package: { id: "example.runtime", digest: "ab".repeat(32) },
  profileRevision: "cd".repeat(32),
  program: "agent",
  args: ["--plain"],
  reference: { kind: "id", strategy: "assigned" },
  resumeArgs: ["--resume", "{reference}"],
  forkArgs: ["--fork", "{reference}"],
  input: { bracketedPaste: true, submitDelayMs: 200 },
};
const REFERENCE: NativeReference = {
  kind: "path",
  value: "/x/y",
  source: "open_file",
  lastActivityAt: "2026-01-01T00:00:00.000Z",
};

test("what was frozen is read as it was written", () => {
  expect(readNativeLaunch(JSON.parse(JSON.stringify(LAUNCH)))).toEqual(LAUNCH);
  expect(readNativeLaunch({ program: "agent", args: [] })).toEqual({ program: "agent", args: [] });
  expect(readNativeReference(JSON.parse(JSON.stringify(REFERENCE)))).toEqual(REFERENCE);
});

test("what was edited, or belongs to another session, is none", () => {
  const sealed = sealLaunch("s-1", LAUNCH);
  expect(openSealedLaunch("s-1", sealed)).toEqual(LAUNCH);
  expect(openSealedLaunch("s-2", sealed)).toBeUndefined();
  const edits = [sealed.replace("--resume", "--exec"), sealed.replace('"agent"', '"/bin/sh"'), JSON.stringify(LAUNCH)];
  for (const text of [...edits, "", "null", "{}", "[]", '{"seal":1,"launch":null}']) {
    expect(openSealedLaunch("s-1", text)).toBeUndefined();
  }
});

test("anything else is no launch and no reference", () => {
  const launches = [
    {},
    { ...LAUNCH, program: 1 },
    { ...LAUNCH, args: "--resume" },
    { ...LAUNCH, resumeArgs: ["--resume", 7] },
    { ...LAUNCH, forkArgs: {} },
    { ...LAUNCH, package: { id: "example.runtime" } },
    { ...LAUNCH, reference: { kind: "other", strategy: "assigned" } },
    { ...LAUNCH, reference: { kind: "id", strategy: "guessed" } },
    { ...LAUNCH, profileRevision: true },
    { ...LAUNCH, input: { submitDelayMs: "soon" } },
    { ...LAUNCH, input: null },
  ];
  expect(launches.map(readNativeLaunch)).toEqual(launches.map(() => undefined));
  const references = [
    {},
    { ...REFERENCE, kind: "name" },
    { ...REFERENCE, source: "me" },
    { ...REFERENCE, value: null },
    { ...REFERENCE, lastActivityAt: "lately" },
  ];
  expect(references.map(readNativeReference)).toEqual(references.map(() => undefined));
});
