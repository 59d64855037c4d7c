import { existsSync } from "node:fs";
import { join } from "node:path";
import { isProtocolError } from "@pohunek/protocol/wire";
import { ANCHOR_FILE } from "../agents/packages/anchor.ts";
import { InstalledRuntimes } from "../agents/packages/installed-runtimes.ts";
import type { OfficialOutcome } from "../agents/packages/official-packages.ts";
import { officialPackages } from "../agents/packages/official-packages.ts";
import type { PackageFinding } from "../agents/packages/package-doctor.ts";
import { examinePackages } from "../agents/packages/package-doctor.ts";
import { PackageRegistry } from "../agents/packages/package-registry.ts";
import { readAnchor } from "../agents/packages/read-source.ts";
import type { Logger } from "../logs/logger.ts";
import { failureFields } from "../logs/logger.ts";
import type { Platform } from "../platform/index.ts";
import type { Finding } from "./doctor.ts";
import type { Roots } from "./roots.ts";

export interface PackageCoreOptions {
  readonly roots: Pick<Roots, "data">;
  readonly platform: Pick<Platform, "files" | "self">;
  /** Folder of the program: its anchor and its official packages lie there. */
  readonly programFolder: string;
  /** Digests that sessions and profiles are bound to. */
  readonly pinned: () => readonly string[];
  readonly log: Logger;
}

const CATALOG = "runtime/catalog.json";
/** After this time nobody waits for the daemon's start any more. */
const INSTALL_AFTER_MS = 1000;
/** Between two packages, so that the daemon answers in between: one takes up to 30 ms on a slow disk. */
const INSTALL_EVERY_MS = 20;
/** What an archive that is unpacked, compared and parsed leaves behind. */
const INSTALL_GARBAGE_BYTES = 1024 * 1024;

type RegistryOptions = Pick<PackageCoreOptions, "roots" | "platform" | "programFolder">;

export function openPackageRegistry(
  { roots, platform, programFolder }: RegistryOptions,
  isReferenced: (digest: string) => boolean,
): PackageRegistry {
  return new PackageRegistry({
    folder: join(roots.data, "packages"),
    uid: platform.self.uid(),
    files: platform.files,
    // Read each time: a build replaces it together with its packages.
    anchor: () => readAnchor(join(programFolder, ANCHOR_FILE)),
    nowSeconds: () => Math.floor(Date.now() / 1000),
    isReferenced,
  });
}

/** Installs the packages that came with the program, one a step. A program that was copied without any has nothing to do. */
export function packagesBeside(
  programFolder: string,
  { registry, dryRun }: { registry: PackageRegistry; dryRun: boolean },
): Generator<OfficialOutcome> | undefined {
  const path = join(programFolder, CATALOG);
  return existsSync(path) ? officialPackages(registry, { path, dryRun }) : undefined;
}

/**
 * The installed packages of this host. The official ones of a new release are installed when somebody first asks for a
 * runtime, or shortly after the start; it is the same installation that `pohunekd ensure-official-runtimes` runs.
 */
export class PackageCore implements Disposable {
  readonly #options: PackageCoreOptions;
  readonly #registry: PackageRegistry;
  #official: Iterator<OfficialOutcome> | undefined;
  #noteGarbage: (bytes: number) => void = () => undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: PackageCoreOptions) {
    this.#options = options;
    this.#registry = openPackageRegistry(options, (digest) => options.pinned().includes(digest));
  }

  /** Everything that is asked of it begins with the official packages being there. */
  get registry(): PackageRegistry {
    this.#installRest();
    return this.#registry;
  }

  readonly runtimes = new InstalledRuntimes(() => this.registry);

  /** Looks for a catalog that is new here. Installs nothing yet; `noteGarbage` is told what each package will have left. */
  start(noteGarbage: (bytes: number) => void): void {
    this.#noteGarbage = noteGarbage;
    this.#official = packagesBeside(this.#options.programFolder, { registry: this.#registry, dryRun: false });
    this.#timer = setTimeout(() => this.#installNext(), INSTALL_AFTER_MS);
    this.#timer.unref();
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#official = undefined;
  }

  examine(packageId?: string): readonly PackageFinding[] {
    return examinePackages(this.registry, { packageId, pinned: this.#options.pinned() });
  }

  /** What daemon.doctor says of packages. */
  look(): Finding {
    const { length } = this.registry.state.packages;
    const findings = this.examine();
    return findings.length === 0
      ? { status: "ok", detail: `${length} installed` }
      : { status: "warn", detail: `${findings.length} findings; pohunek plugin doctor tells them` };
  }

  #installNext(): void {
    if (this.#step()) {
      this.#timer = setTimeout(() => this.#installNext(), INSTALL_EVERY_MS);
      this.#timer.unref();
    }
  }

  #installRest(): void {
    while (this.#step()) {
      // Each step installs one package.
    }
  }

  /** False when there is nothing more to do. No failure keeps the daemon from serving what is there. */
  #step(): boolean {
    const { log } = this.#options;
    try {
      const next = this.#official?.next();
      if (next === undefined || next.done === true) {
        this.#official = undefined;
        return false;
      }
      const { entry, ...outcome } = next.value;
      this.#noteGarbage(INSTALL_GARBAGE_BYTES);
      log.info("official_package", { package: entry.id, version: entry.version, ...outcome });
      return true;
    } catch (cause) {
      this.#official = undefined;
      log.warn("official_packages_failed", isProtocolError(cause) ? { code: cause.code } : failureFields(cause));
      return false;
    }
  }
}
