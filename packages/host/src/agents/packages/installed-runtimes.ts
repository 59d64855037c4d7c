import type { ProtocolError } from "@pohunek/protocol/wire";
import { isProtocolError, protocolError } from "@pohunek/protocol/wire";
import type { RuntimeDefinition, RuntimeSource } from "../runtime-definition.ts";
import { isOfficial, isServing } from "./claims.ts";
import type { Descriptor } from "./descriptor.ts";
import type { PackageRegistry } from "./package-registry.ts";
import type { PackageRecord } from "./registry-state.ts";
import { SHELL_DEFINITION } from "./shell-runtime.ts";

interface Advice {
  readonly state: "installed" | "switched on";
  readonly recover: string | undefined;
  /** A package is there and does not serve the name. */
  readonly isOff?: boolean;
}

/** The runtimes of this host: the compiled-in shell and what the installed packages provide. */
export class InstalledRuntimes implements RuntimeSource {
  readonly #open: () => PackageRegistry;
  readonly #definitions = new WeakMap<Descriptor, RuntimeDefinition>();

  /** The registry is asked for at each use, so that what it depends on can be done late. */
  constructor(open: () => PackageRegistry) {
    this.#open = open;
  }

  get #registry(): PackageRegistry {
    return this.#open();
  }

  /** Those that serve a bare name now. A damaged package is left out; an unreadable registry leaves the shell alone. */
  get all(): readonly RuntimeDefinition[] {
    const definitions = this.#records()
      .filter(isServing)
      .flatMap((record) => {
        const { descriptor } = this.#registry.load(record);
        return descriptor === undefined ? [] : [this.#define(record, descriptor)];
      });
    return [SHELL_DEFINITION, ...definitions];
  }

  byName(id: string): RuntimeDefinition {
    if (id === SHELL_DEFINITION.id) return SHELL_DEFINITION;
    const records = this.#records();
    const record = records.find((candidate) => candidate.runtimeId === id && isServing(candidate));
    if (record === undefined) throw notInstalled(id, this.#adviceFor(id, records));
    return this.#verified(record);
  }

  byDigest(digest: string, runtimeId: string): RuntimeDefinition {
    const record = this.#records().find((candidate) => candidate.digest === digest);
    if (record === undefined) throw notInstalled(runtimeId, { state: "installed", recover: "pohunek plugin doctor" });
    if (record.runtimeId !== runtimeId) {
      throw protocolError("runtime_incompatible", { message: `the pinned package does not provide ${runtimeId}` });
    }
    return this.#verified(record);
  }

  isEnabled(digest: string): boolean {
    return this.#records().some((record) => record.digest === digest && record.enabled);
  }

  hold(digest: string): Disposable {
    if (!this.#records().some((record) => record.digest === digest)) {
      throw protocolError("runtime_not_installed", { message: "the package was taken away meanwhile" });
    }
    return this.#registry.holdForLaunch(digest);
  }

  #verified(record: PackageRecord): RuntimeDefinition {
    const { fault, descriptor } = this.#registry.verify(record);
    if (fault !== undefined) {
      const { id, version } = record;
      throw protocolError("runtime_incompatible", {
        message: `the installed files of ${id} ${version} are not as they must be (${fault})`,
        recover: "Install the package again: that restores its files. `pohunek plugin doctor` tells more.",
      });
    }
    return this.#define(record, descriptor);
  }

  #records(): readonly PackageRecord[] {
    try {
      return this.#registry.state.packages;
    } catch (cause) {
      // `plugin doctor` and every change tell it; what is compiled in goes on.
      if (isProtocolError(cause, "package_registry_failed")) return [];
      throw cause;
    }
  }

  #adviceFor(id: string, records: readonly PackageRecord[]): Advice {
    const off = records.find((record) => record.runtimeId === id);
    if (off !== undefined) {
      return { state: "switched on", recover: `pohunek plugin enable ${off.id}@${off.version}`, isOff: true };
    }
    return { state: "installed", recover: this.#isReserved(id) ? `pohunek plugin install ${id}` : undefined };
  }

  /** Whether the release brings a package for it. */
  #isReserved(id: string): boolean {
    try {
      return this.#registry.options.anchor().reserved.has(id);
    } catch (cause) {
      if (isProtocolError(cause, "official_trust_unavailable")) return false;
      throw cause;
    }
  }

  #define(record: PackageRecord, descriptor: Descriptor): RuntimeDefinition {
    const known = this.#definitions.get(descriptor);
    if (known !== undefined) return known;
    const { id: packageId, version: packageVersion, digest, origin } = record;
    const source = { packageId, packageVersion, digest, official: isOfficial(origin) };
    const definition = { ...descriptor.runtime, source };
    this.#definitions.set(descriptor, definition);
    return definition;
  }
}

function notInstalled(id: string, { state, recover, isOff = false }: Advice): ProtocolError {
  const message = `no runtime named ${JSON.stringify(id)} is ${state}`;
  return protocolError("runtime_not_installed", { message, recover, details: { isOff } });
}
