import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isProtocolError } from "@pohunek/protocol/wire";
import { parseProfile } from "./parse-profile.ts";
import type { EffectiveLaunch } from "./profile-file.ts";
import { ProfileFile } from "./profile-file.ts";
import { ProfileKey } from "./profile-key.ts";
import { withoutPin, withPin } from "./profile-pin.ts";

const LAUNCH: EffectiveLaunch = { program: "/bin/bash", args: ["-x"] };
const TEXT = `# mine
agent_base = "agent"
[env]
TOKEN = "t"
package = "a variable of that name"
`;
const DIGEST = `sha256:${"ab".repeat(32)}`;
const OTHER_DIGEST = `sha256:${"cd".repeat(32)}`;
let base = "";

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "pkey-"));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

function key(): ProfileKey {
  return new ProfileKey(join(base, "profile-revision.key"), process.getuid?.() ?? 0);
}

function file(text = TEXT, manifestText?: string): ProfileFile {
  return new ProfileFile({ profile: parseProfile("p", text), text, manifestText, isPrivate: true });
}

function codeOf(action: () => unknown): string {
  try {
    action();
  } catch (cause) {
    if (isProtocolError(cause)) return cause.code;
    throw cause;
  }
  return "accepted";
}

describe("the revision of a profile", () => {
  test("stays the same over restarts and changes with each thing that counts", () => {
    const first = file().revision(key(), LAUNCH);
    expect(file().revision(key(), LAUNCH)).toBe(first);
    const others = [
      file(`${TEXT}#`).revision(key(), LAUNCH),
      file(TEXT.replace('"t"', '"u"')).revision(key(), LAUNCH),
      file(TEXT, "").revision(key(), LAUNCH),
      file(TEXT, "rules").revision(key(), LAUNCH),
      file(TEXT.replace('"agent"', '"other"')).revision(key(), LAUNCH),
      file().revision(key(), { ...LAUNCH, digest: "d" }),
      file().revision(key(), { ...LAUNCH, program: "/bin/zsh" }),
      file().revision(key(), { ...LAUNCH, args: ["-x", ""] }),
      file().revision(key(), { ...LAUNCH, args: [] }),
    ];
    expect(new Set([first, ...others]).size).toBe(others.length + 1);
    expect(first).toMatch(/^[0-9a-f]{64}$/);
  });

  test("is another one on another host, and tells nothing without the key", () => {
    const first = file().revision(key(), LAUNCH);
    rmSync(join(base, "profile-revision.key"));
    expect(file().revision(key(), LAUNCH)).not.toBe(first);
  });

  test("tells an edit from a session's start, and the package's pin from an edit", () => {
    const frozen = file().revision(key(), LAUNCH);
    const pinned = withPin(TEXT, { packageId: "example.runtime", digest: DIGEST });
    const bound = { ...LAUNCH, digest: DIGEST };
    expect(codeOf(() => file().ensureUnchanged(key(), frozen, LAUNCH))).toBe("accepted");
    expect(codeOf(() => file(pinned).ensureUnchanged(key(), frozen, bound))).toBe("accepted");
    expect(codeOf(() => file(`${pinned}#`).ensureUnchanged(key(), frozen, bound))).toBe("agent_profile_changed");
    expect(codeOf(() => file().ensureUnchanged(key(), "", LAUNCH))).toBe("agent_profile_changed");
    const boundRevision = file(pinned).revision(key(), bound);
    const repinned = withPin(TEXT, { packageId: "example.runtime", digest: OTHER_DIGEST });
    const other = { ...LAUNCH, digest: OTHER_DIGEST };
    expect(codeOf(() => file(repinned).ensureUnchanged(key(), boundRevision, other))).toBe("agent_profile_changed");
  });
});

test("a pin is put in and taken out without touching anything else", () => {
  const pin = { packageId: "example.runtime", digest: DIGEST };
  expect(withoutPin(withPin(TEXT, pin))).toBe(TEXT);
  expect(withPin(withPin(TEXT, { ...pin, packageId: "older" }), pin)).toBe(withPin(TEXT, pin));
  expect(parseProfile("p", withPin(TEXT, pin)).pin).toEqual(pin);
  expect(parseProfile("p", withPin(TEXT, pin)).environment.get("package")).toBe("a variable of that name");
});

describe("the key", () => {
  test("is made once, private, and leaves no other file behind", () => {
    key().digest("x", []);
    expect(readdirSync(base)).toEqual(["profile-revision.key"]);
    expect(statSync(join(base, "profile-revision.key")).mode & 0o777).toBe(0o600);
  });

  test.each([
    ["open to others", () => chmodSync(join(base, "profile-revision.key"), 0o640)],
    ["damaged", () => writeFileSync(join(base, "profile-revision.key"), "short")],
    ["of another user", undefined],
  ] as const)("that is %s gives no revision", (_what, spoil) => {
    key().digest("x", []);
    spoil?.();
    const wrong = spoil === undefined ? new ProfileKey(join(base, "profile-revision.key"), 4711) : key();
    expect(codeOf(() => wrong.digest("x", []))).toBe("agent_profile_revision_unavailable");
  });

  test("that can't be made gives no revision", () => {
    const nowhere = new ProfileKey(join(base, "absent", "profile-revision.key"), process.getuid?.() ?? 0);
    expect(codeOf(() => nowhere.digest("x", []))).toBe("agent_profile_revision_unavailable");
  });
});
