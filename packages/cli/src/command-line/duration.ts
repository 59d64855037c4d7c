const UNIT_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const DURATION = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h|d)?$/;

/** Reads `500ms`, `30s`, `1.5m`, `2h`; a bare number is seconds. Milliseconds, or undefined for anything else and for zero. */
export function parseDuration(text: string): number | undefined {
  const match = DURATION.exec(text);
  if (match === null) return undefined;
  const [, amount, unit = "s"] = match;
  const milliseconds = Math.round(Number(amount) * UNIT_MS[unit as keyof typeof UNIT_MS]);
  return milliseconds > 0 ? milliseconds : undefined;
}
