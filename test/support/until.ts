const FIRST_LOOK_MS = 2;
const LAST_LOOK_MS = 50;

/**
 * Looks again and again until `look` gives something, for facts that announce themselves by no event (a process of
 * another's, a file). Fails after `timeoutMs`, naming what was waited for.
 */
export async function until<Found>(
  what: string,
  look: () => Found | undefined | false | Promise<Found | undefined | false>,
  timeoutMs = 10_000,
): Promise<Found> {
  const deadline = performance.now() + timeoutMs;
  for (let wait = FIRST_LOOK_MS; ; wait = Math.min(wait * 2, LAST_LOOK_MS)) {
    const found = await look();
    if (found !== undefined && found !== false) {
      return found;
    }
    if (performance.now() > deadline) {
      throw new Error(`waited ${timeoutMs} ms in vain: ${what}`);
    }
    await Bun.sleep(wait);
  }
}
