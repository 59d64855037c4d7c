import { readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { isRecord, protocolError } from "@pohunek/protocol/wire";

/** What a catalog says about one package. The daemon proves it; here it only finds the archive. */
export interface ListedPackage {
  readonly id: string;
  readonly version: string;
  readonly runtime: string;
  readonly digest: string;
  readonly archivePath: string;
}

const MAX_CATALOG_BYTES = 1024 * 1024;

/** The catalog that was named, or the one that came with this program. */
export function catalogPath(named: string | undefined): string {
  if (named !== undefined) return resolve(named);
  const isCompiled = Bun.main.startsWith("/$bunfs/");
  const folder = isCompiled ? dirname(realpathSync(process.execPath)) : join(dirname(Bun.main), "../dist");
  return join(folder, "runtime/catalog.json");
}

/** Fails with package_source_unreadable, and with package_untrusted for what is no catalog. */
export function readCatalog(path: string): readonly ListedPackage[] {
  let text: string;
  try {
    if (statSync(path).size > MAX_CATALOG_BYTES) throw new Error("too large");
    text = readFileSync(path, "utf8");
  } catch (cause) {
    throw protocolError("package_source_unreadable", { message: `the catalog ${path} cannot be read`, cause });
  }
  try {
    return listPackages(JSON.parse(text), dirname(path));
  } catch (cause) {
    throw protocolError("package_untrusted", { message: `${path} is not a catalog`, cause });
  }
}

function listPackages(envelope: unknown, folder: string): readonly ListedPackage[] {
  if (!isRecord(envelope) || typeof envelope["payload"] !== "string") throw new TypeError("no payload");
  const payload: unknown = JSON.parse(Buffer.from(envelope["payload"], "base64url").toString());
  const entries = isRecord(payload) ? payload["packages"] : undefined;
  if (!Array.isArray(entries)) throw new TypeError("no packages");
  return entries.map((entry: unknown) => {
    const text = (key: string): string => {
      const value = isRecord(entry) ? entry[key] : undefined;
      if (typeof value !== "string") throw new TypeError(`an entry without ${key}`);
      return value;
    };
    const archive = text("archive");
    if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(archive)) throw new TypeError("an archive elsewhere");
    const archivePath = join(folder, archive);
    return { id: text("id"), version: text("version"), runtime: text("runtime"), digest: text("digest"), archivePath };
  });
}

export function isListedAs({ id, runtime, version }: ListedPackage, word: string): boolean {
  const [name, wanted = version] = word.split("@", 2);
  return (name === id || name === runtime) && wanted === version;
}
