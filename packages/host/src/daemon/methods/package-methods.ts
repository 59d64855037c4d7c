import type { ReplyOf } from "@pohunek/protocol";
import type { PackageFault } from "@pohunek/protocol/wire";
import { isProtocolError, protocolError } from "@pohunek/protocol/wire";
import {
  findPackage,
  selectPackage,
  setPackageEnabled,
  uninstallPackage,
} from "../../agents/packages/change-package.ts";
import type { InstallOutcome, Trust } from "../../agents/packages/install-package.ts";
import { installPackage } from "../../agents/packages/install-package.ts";
import { packFolder } from "../../agents/packages/link-package.ts";
import { faultOfPackage } from "../../agents/packages/package-doctor.ts";
import type { PackageRegistry } from "../../agents/packages/package-registry.ts";
import { readArchiveFile, readCatalogFile } from "../../agents/packages/read-source.ts";
import type { PackageRecord } from "../../agents/packages/registry-state.ts";
import type { RuntimeDefinition } from "../../agents/runtime-definition.ts";
import type { Handlers } from "../dispatcher.ts";
import type { PackageCore } from "../package-core.ts";

type PackageMethods = Pick<
  Handlers,
  | "package.list"
  | "package.inspect"
  | "package.doctor"
  | "package.install"
  | "package.link"
  | "package.set_enabled"
  | "package.select"
  | "package.uninstall"
>;

type PackageInfo = ReplyOf<"package.inspect">["package"];
type PackageRuntimeInfo = NonNullable<ReplyOf<"package.inspect">["runtime"]>;

/** Installed packages: asked for and changed on the host itself only. */
export function packageMethods(packages: PackageCore): PackageMethods {
  const answer = (record: PackageRecord): { package: PackageInfo; reloaded: boolean } => ({
    package: infoOf(packages.registry, record),
    reloaded: reload(packages.registry),
  });
  return {
    "package.list": () => {
      const { registry } = packages;
      const { generation, packages: records } = registry.state;
      return { generation, packages: records.toSorted(byName).map((record) => infoOf(registry, record)) };
    },
    "package.inspect": ({ digest }) => {
      const { registry } = packages;
      const record = findPackage(registry.state, digest);
      const { descriptor } = registry.verify(record);
      return { package: infoOf(registry, record), runtime: descriptor && runtimeOf(descriptor.runtime) };
    },
    "package.doctor": ({ package: packageId }) => ({
      generation: packages.registry.state.generation,
      findings: packages.examine(packageId).map(({ kind, digest, record, fault, referenced }) => ({
        kind,
        digest,
        package: record && identityOf(record),
        fault,
        referenced,
      })),
    }),
    "package.install": ({ archive_path, trust, enable, select, dry_run: dryRun }) => {
      const archive = readArchiveFile(archive_path);
      const request = { archive, trust: readTrust(trust), enable, select, dryRun };
      return installed(packages.registry, installPackage(packages.registry, request));
    },
    "package.link": async ({ directory, dry_run: dryRun }) => {
      const archive = await packFolder(directory);
      const request = { archive, trust: { kind: "link" }, enable: false, select: false, dryRun } as const;
      return installed(packages.registry, installPackage(packages.registry, request));
    },
    "package.set_enabled": (change) => answer(setPackageEnabled(packages.registry, change)),
    "package.select": ({ digest }) => answer(selectPackage(packages.registry, digest)),
    "package.uninstall": ({ digest, remove_modified: removeModified }) => {
      uninstallPackage(packages.registry, { digest, removeModified });
      return { digest, reloaded: reload(packages.registry) };
    },
  };
}

type WireTrust = { kind: "explicit_digest"; digest: string } | { kind: "catalog"; catalog_path: string };

function readTrust(trust: WireTrust): Trust {
  return trust.kind === "catalog" ? { kind: "catalog", catalog: readCatalogFile(trust.catalog_path) } : trust;
}

function installed(
  registry: PackageRegistry,
  { status, record, descriptor }: InstallOutcome,
): { status: InstallOutcome["status"]; package: PackageInfo; runtime: PackageRuntimeInfo; reloaded: boolean } {
  const isPreview = status === "preview";
  return {
    status,
    package: isPreview ? factsOf(record, { referenced: false }) : infoOf(registry, record),
    runtime: runtimeOf(descriptor.runtime),
    reloaded: isPreview ? false : reload(registry),
  };
}

/** The change is durable; what the daemon serves follows from it now. */
function reload(registry: PackageRegistry): true {
  try {
    void registry.state;
    return true;
  } catch (cause) {
    if (!isProtocolError(cause)) throw cause;
    throw protocolError("package_reload_failed", { cause });
  }
}

export function infoOf(registry: PackageRegistry, record: PackageRecord): PackageInfo {
  const fault = faultOfPackage(registry, registry.state, record);
  return factsOf(record, { fault, referenced: registry.isReferenced(record.digest) });
}

function factsOf(record: PackageRecord, facts: { fault?: PackageFault; referenced: boolean }): PackageInfo {
  const { digest, origin, enabled, selected, installedAt, runtimeId } = record;
  return {
    digest,
    package: identityOf(record),
    origin,
    enabled,
    selected,
    installed_at_unix_seconds: installedAt,
    runtime_id: runtimeId,
    ...facts,
  };
}

function identityOf({ id, version }: PackageRecord): { id: string; version: string } {
  return { id, version };
}

function byName(left: PackageRecord, right: PackageRecord): number {
  const [a, b] = [`${left.id} ${left.version} ${left.digest}`, `${right.id} ${right.version} ${right.digest}`];
  return a < b ? -1 : 1;
}

export function runtimeOf(runtime: RuntimeDefinition): PackageRuntimeInfo {
  const { id, displayName, launch, versionProbe, resumeArgs, forkArgs, hooks } = runtime;
  return {
    runtime_id: id,
    display_name: displayName,
    program: launch.program,
    args: [...launch.args],
    launch_args: launch.assignArgs && [...launch.assignArgs],
    resume_args: resumeArgs && [...resumeArgs],
    fork_args: forkArgs && [...forkArgs],
    prompt_argument: launch.promptArgument,
    version_probe: versionProbe && `${versionProbe.parser} [${versionProbe.min}, ${versionProbe.below})`,
    resumable: resumeArgs !== undefined,
    forkable: forkArgs !== undefined,
    integration_handler: hooks?.handler,
  };
}
