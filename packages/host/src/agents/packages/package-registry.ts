import type { PackageFault } from "@pohunek/protocol/wire";
import { isProtocolError } from "@pohunek/protocol/wire";
import type { FileCalls } from "../../platform/index.ts";
import type { Anchor } from "./anchor.ts";
import type { PackageFile } from "./archive.ts";
import type { Descriptor } from "./descriptor.ts";
import { DESCRIPTOR_FILE, DETECTION_FILE, parseDescriptor } from "./descriptor.ts";
import { PackageRoots } from "./package-root.ts";
import type { Change } from "./registry-file.ts";
import { RegistryFile } from "./registry-file.ts";
import type { PackageRecord, RegistryState } from "./registry-state.ts";

export interface PackageRegistryOptions {
  /** Holds registry.json and the roots. */
  readonly folder: string;
  readonly uid: number;
  readonly files: Pick<FileCalls, "tryLock" | "syncDirectory">;
  /** Fails with official_trust_unavailable. */
  readonly anchor: () => Anchor;
  readonly nowSeconds: () => number;
  /** Whether a session or profile still needs exactly this package. */
  readonly isReferenced: (digest: string) => boolean;
}

export type LoadedPackage =
  | { readonly fault?: undefined; readonly descriptor: Descriptor }
  | { readonly fault: PackageFault; readonly descriptor?: undefined };

/** The installed packages: what the registry says of them, and their files. */
export class PackageRegistry {
  readonly options: PackageRegistryOptions;
  readonly roots: PackageRoots;
  readonly #file: RegistryFile;
  readonly #parsed = new Map<string, Descriptor>();
  readonly #launches = new Map<string, number>();
  #state: { readonly identity: string; readonly state: RegistryState } | undefined;

  constructor(options: PackageRegistryOptions) {
    const { folder, uid, files } = options;
    this.options = options;
    this.roots = new PackageRoots({ folder, uid, syncDirectory: (path) => files.syncDirectory(path) });
    this.#file = new RegistryFile({ folder, uid, files });
  }

  /** What registry.json says now. It is read again only when it was replaced. Fails with package_registry_failed. */
  get state(): RegistryState {
    const identity = this.#file.identity();
    if (this.#state?.identity !== identity) this.#state = { identity, state: this.#file.read() };
    return this.#state.state;
  }

  /** As RegistryFile.change. */
  change<Result>(change: (state: RegistryState) => Change<Result>): Result {
    return this.#file.change(change);
  }

  /** Compares the package's files with what was installed and reads its description from the compared bytes. */
  verify(record: PackageRecord): LoadedPackage {
    const verified = this.roots.verify(record.digest, record.tree);
    if (verified.fault !== undefined) return { fault: verified.fault };
    const known = this.#parsed.get(record.tree);
    if (known !== undefined) return { descriptor: known };
    const loaded = describe(verified.files, record);
    if (loaded.descriptor !== undefined) this.#parsed.set(record.tree, loaded.descriptor);
    return loaded;
  }

  /** As verify, but what was verified once is not compared again. For lists, not for launches. */
  load(record: PackageRecord): LoadedPackage {
    const known = this.#parsed.get(record.tree);
    return known === undefined ? this.verify(record) : { descriptor: known };
  }

  /** Until it is disposed of the package counts as used: between the choice of a package and the session that is kept. */
  holdForLaunch(digest: string): Disposable {
    this.#launches.set(digest, (this.#launches.get(digest) ?? 0) + 1);
    let isHeld = true;
    return {
      [Symbol.dispose]: () => {
        if (!isHeld) return;
        isHeld = false;
        const left = (this.#launches.get(digest) ?? 1) - 1;
        if (left === 0) this.#launches.delete(digest);
        else this.#launches.set(digest, left);
      },
    };
  }

  isReferenced(digest: string): boolean {
    return this.#launches.has(digest) || this.options.isReferenced(digest);
  }
}

/** Reads a package's description from its files. */
export function parsePackage(files: readonly PackageFile[]): Descriptor | undefined {
  const contentOf = (path: string): Uint8Array | undefined => files.find((file) => file.path === path)?.content;
  const descriptor = contentOf(DESCRIPTOR_FILE);
  const detection = contentOf(DETECTION_FILE) ?? new Uint8Array();
  return descriptor === undefined ? undefined : parseDescriptor({ descriptor, detection });
}

function describe(files: ReadonlyMap<string, Buffer>, record: PackageRecord): LoadedPackage {
  try {
    const list = [...files].map(([path, content]) => ({ path, content, isExecutable: false }));
    const descriptor = parsePackage(list);
    if (descriptor === undefined) return { fault: "descriptor_missing" };
    const { packageId, packageVersion, runtime } = descriptor;
    const isSame = packageId === record.id && packageVersion === record.version && runtime.id === record.runtimeId;
    return isSame ? { descriptor } : { fault: "identity_mismatch" };
  } catch (cause) {
    if (!isProtocolError(cause)) throw cause;
    return { fault: "descriptor_invalid" };
  }
}
