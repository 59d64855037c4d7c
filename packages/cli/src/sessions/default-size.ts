/** Size of a session that nobody is attached to yet; the first attach brings its own. */
export const DEFAULT_SIZE = { cols: 80, rows: 24 } as const;
