/** Bounds of a package archive: nothing that comes from outside makes the host do more work than these allow. */
export const ARCHIVE_LIMITS = {
  compressedBytes: 8 * 1024 * 1024,
  tarBytes: 64 * 1024 * 1024,
  /** Bytes of the tar for each byte of the archive. */
  ratio: 100,
  files: 512,
  pathBytes: 100,
  fileBytes: 16 * 1024 * 1024,
  windowBytes: 8 * 1024 * 1024,
} as const;
