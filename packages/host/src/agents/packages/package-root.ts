import { lstatSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { PackageFault } from "@pohunek/protocol/wire";
import type { PackageFile } from "./archive.ts";
import { digestOf, hexOf } from "./digest.ts";
import { foldersOf } from "./package-paths.ts";
import type { FileFault } from "./private-file.ts";
import { readPrivateFile, writeNewFile } from "./private-file.ts";
import type { RootFile } from "./root-manifest.ts";
import { decodeRootManifest, encodeRootManifest } from "./root-manifest.ts";

const MANIFEST = "manifest.json";
const FILES = "files";
const MAX_MANIFEST_BYTES = 512 * 1024;
const FOLDER_MODE = 0o700;
const PLAIN_MODE = 0o600;
const EXECUTABLE_MODE = 0o700;
/** Folders that are being filled or thrown away. Whatever bears such a name while nobody holds the lock is left over. */
const STAGED = ".staged-";

export interface PackageRootsOptions {
  /** The folder of all roots; made when it is first needed. */
  readonly folder: string;
  readonly uid: number;
  readonly syncDirectory: (path: string) => void;
}

export interface StagedRoot {
  /** Of the manifest file: what the registry keeps. */
  readonly tree: string;
}

export type VerifiedRoot =
  | { readonly fault?: undefined; readonly files: ReadonlyMap<string, Buffer> }
  | { readonly fault: PackageFault };

const FAULTS: Record<FileFault, PackageFault> = {
  missing: "root_modified",
  modified: "root_modified",
  unsafe: "root_unsafe",
  unreadable: "root_unreadable",
};

/**
 * The installed packages' files: `<hex of the digest>/manifest.json` and `<hex>/files/`. A root is filled aside, made
 * durable, verified, and only then gets its name; what has the name is whole or was changed by somebody else.
 */
export class PackageRoots {
  readonly #options: PackageRootsOptions;

  constructor(options: PackageRootsOptions) {
    this.#options = options;
  }

  /** Digests of all roots that are there, registered or not. */
  list(): string[] {
    return this.#names().flatMap((name) => (/^[0-9a-f]{64}$/.test(name) ? [`sha256:${name}`] : []));
  }

  /** Puts the files in place. An old root of the same digest, which the caller found damaged, is taken away. */
  install(digest: string, files: readonly PackageFile[]): StagedRoot {
    const { folder, syncDirectory } = this.#options;
    mkdirSync(folder, { recursive: true, mode: FOLDER_MODE });
    this.#sweep();
    const staged = join(folder, `${STAGED}${hexOf(digest)}`);
    const manifest = encodeRootManifest(digest, files);
    this.#fill(staged, { manifest, files });
    const tree = digestOf(manifest);
    const { fault } = this.#verifyAt(staged, { digest, tree });
    if (fault !== undefined) throw new Error(`the files that were just written are not as they must be (${fault})`);
    const target = this.#pathOf(digest);
    const old = join(folder, `${STAGED}old-${hexOf(digest)}`);
    const isReplaced = exists(target);
    if (isReplaced) renameSync(target, old);
    // Never onto another root: rename refuses a folder that holds something.
    renameSync(staged, target);
    syncDirectory(folder);
    if (isReplaced) remove(old);
    return { tree };
  }

  /** Compares a root with what was registered, every name, mode, owner and byte, and gives back what it read. */
  verify(digest: string, tree: string): VerifiedRoot {
    return this.#verifyAt(this.#pathOf(digest), { digest, tree });
  }

  remove(digest: string): void {
    const { folder, syncDirectory } = this.#options;
    const path = this.#pathOf(digest);
    if (!exists(path)) return;
    const old = join(folder, `${STAGED}old-${hexOf(digest)}`);
    remove(old);
    renameSync(path, old);
    syncDirectory(folder);
    remove(old);
  }

  #pathOf(digest: string): string {
    return join(this.#options.folder, hexOf(digest));
  }

  #names(): string[] {
    return exists(this.#options.folder) ? readdirSync(this.#options.folder) : [];
  }

  /** Takes away what a crash left. Only for who holds the registry's lock. */
  #sweep(): void {
    const { folder } = this.#options;
    for (const name of this.#names()) if (name.startsWith(STAGED)) remove(join(folder, name));
  }

  #fill(root: string, { manifest, files }: { manifest: Uint8Array; files: readonly PackageFile[] }): void {
    const { syncDirectory } = this.#options;
    const folders = [root, join(root, FILES), ...folderNames(files).map((path) => join(root, FILES, path))];
    for (const path of folders) mkdirSync(path, { mode: FOLDER_MODE });
    for (const { path, content, isExecutable } of files) {
      writeNewFile(join(root, FILES, path), content, isExecutable ? EXECUTABLE_MODE : PLAIN_MODE);
    }
    writeNewFile(join(root, MANIFEST), manifest, PLAIN_MODE);
    for (const path of folders.toReversed()) syncDirectory(path);
  }

  #verifyAt(root: string, { digest, tree }: { digest: string; tree: string }): VerifiedRoot {
    const { uid } = this.#options;
    if (!exists(root)) return { fault: "root_missing" };
    const bytes = readPrivateFile(join(root, MANIFEST), { uid, maxBytes: MAX_MANIFEST_BYTES, mode: PLAIN_MODE });
    if (typeof bytes === "string") return { fault: FAULTS[bytes] };
    const manifest = digestOf(bytes) === tree ? decodeRootManifest(bytes) : undefined;
    if (manifest?.digest !== digest) return { fault: "root_modified" };
    const fault = this.#faultOfTree(root, manifest.files);
    return fault === undefined ? this.#readFiles(root, manifest.files) : { fault };
  }

  /** The names, whatever is behind them: nothing more, nothing less, and every folder private. */
  #faultOfTree(root: string, files: readonly RootFile[]): PackageFault | undefined {
    const folders = new Set(["", FILES, ...folderNames(files).map((path) => join(FILES, path))]);
    const expected = new Set([...folders, MANIFEST, ...files.map(({ path }) => join(FILES, path))]);
    const found = new Set<string>();
    const pending = [""];
    try {
      for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
        found.add(path);
        if (!expected.has(path)) return "root_modified";
        if (!folders.has(path)) continue;
        const stat = lstatSync(join(root, path));
        const isPrivate = stat.uid === this.#options.uid && (stat.mode & 0o7777) === FOLDER_MODE;
        if (!stat.isDirectory() || !isPrivate) return "root_unsafe";
        for (const name of readdirSync(join(root, path))) pending.push(join(path, name));
      }
    } catch {
      // A folder that does not let itself be read, or that went away meanwhile.
      return "root_unreadable";
    }
    return found.size === expected.size ? undefined : "root_modified";
  }

  #readFiles(root: string, files: readonly RootFile[]): VerifiedRoot {
    const { uid } = this.#options;
    const read = new Map<string, Buffer>();
    for (const { path, bytes, digest, executable } of files) {
      const mode = executable ? EXECUTABLE_MODE : PLAIN_MODE;
      const content = readPrivateFile(join(root, FILES, path), { uid, maxBytes: bytes, mode });
      if (typeof content === "string") return { fault: FAULTS[content] };
      if (content.length !== bytes || digestOf(content) !== digest) return { fault: "root_modified" };
      read.set(path, content);
    }
    return { files: read };
  }
}

function folderNames(files: readonly { readonly path: string }[]): string[] {
  return [...new Set(files.flatMap(({ path }) => foldersOf(path)))].toSorted();
}

function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function remove(path: string): void {
  rmSync(path, { recursive: true, force: true });
}
