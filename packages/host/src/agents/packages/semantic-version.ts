/** Three numbers of at most nine digits. Pre-releases are no releases here. */
const RELEASE = /^(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})$/;

/** Releases as numbers; undefined when the text is none. */
export function parseRelease(text: string): readonly [number, number, number] | undefined {
  const [, major, minor, patch] = RELEASE.exec(text) ?? [];
  return major === undefined ? undefined : [Number(major), Number(minor), Number(patch)];
}

/** Below zero when `left` is the older one. Both must be releases. */
export function compareReleases(left: string, right: string): number {
  const [a, b] = [parseRelease(left), parseRelease(right)];
  if (a === undefined || b === undefined) throw new RangeError("not a release");
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
}
