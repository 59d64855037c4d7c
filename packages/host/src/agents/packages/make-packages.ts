/** What a build needs to make packages and their catalog; no daemon loads it. */

export { ANCHOR_FILE } from "./anchor.ts";
export { unpackArchive } from "./archive.ts";
export { digestOf } from "./digest.ts";
export { packFolder } from "./link-package.ts";
export { parsePackage } from "./package-registry.ts";
export { publicKeyOf, signCatalog } from "./sign-catalog.ts";
