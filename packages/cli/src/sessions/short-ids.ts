/** Shorter beginnings change their meaning with the next session. */
const MIN_LENGTH = 8;

/** For each id the shortest beginning that no other id has. */
export function shortestPrefixes(ids: readonly string[]): ReadonlyMap<string, string> {
  const sorted = [...ids].sort();
  const prefixes = new Map<string, string>();
  for (const [index, id] of sorted.entries()) {
    const shared = Math.max(sharedLength(id, sorted[index - 1]), sharedLength(id, sorted[index + 1]));
    prefixes.set(id, id.slice(0, Math.max(MIN_LENGTH, shared + 1)));
  }
  return prefixes;
}

function sharedLength(one: string, other: string | undefined): number {
  let length = 0;
  while (other !== undefined && length < one.length && one[length] === other[length]) length += 1;
  return length;
}
