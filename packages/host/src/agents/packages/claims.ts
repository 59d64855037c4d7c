import type { PackageOrigin } from "@pohunek/protocol/wire";
import { protocolError } from "@pohunek/protocol/wire";
import type { Anchor } from "./anchor.ts";
import type { PackageRecord } from "./registry-state.ts";
import { SHELL_DEFINITION } from "./shell-runtime.ts";

/** Package ids that begin so are the project's own. */
const OFFICIAL_PREFIX = "pohunek.";

export type Claim = Pick<PackageRecord, "id" | "runtimeId" | "origin">;

/** The shell is compiled in, and the names that the anchor reserves belong to official packages. */
export function isClaimable({ id, runtimeId, origin }: Claim, { reserved }: Pick<Anchor, "reserved">): boolean {
  if (runtimeId === SHELL_DEFINITION.id) return false;
  return isOfficial(origin) || !(reserved.has(runtimeId) || id.startsWith(OFFICIAL_PREFIX));
}

export function isOfficial(origin: PackageOrigin): boolean {
  return origin === "official";
}

/** Another package that serves the same runtime's name. */
export function rivalOf({ id, runtimeId }: Claim, packages: readonly PackageRecord[]): PackageRecord | undefined {
  return packages.find((other) => other.id !== id && other.runtimeId === runtimeId && isServing(other));
}

export function isServing({ enabled, selected }: Pick<PackageRecord, "enabled" | "selected">): boolean {
  return enabled && selected;
}

/** Fails with the code that says why this package may not serve its runtime. */
export function refuseClaim(claim: Claim, anchor: Pick<Anchor, "reserved">): void {
  if (!isClaimable(claim, anchor)) {
    const message = `the runtime name ${claim.runtimeId} is not for packages of this origin`;
    throw protocolError("package_runtime_not_claimable", { message });
  }
}

export function refuseRival(claim: Claim, packages: readonly PackageRecord[]): void {
  const rival = rivalOf(claim, packages);
  if (rival === undefined) return;
  const recover = `pohunek plugin disable ${rival.id}@${rival.version}`;
  throw protocolError("package_runtime_conflict", {
    message: `${rival.id} ${rival.version} already provides the runtime ${claim.runtimeId}`,
    recover,
  });
}
