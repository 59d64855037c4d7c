const MINUTE_S = 60;
const HOUR_S = 3_600;
const DAY_S = 86_400;

/** How long ago something was: `12s`, `5m`, `3h`, `9d`. Never negative: clocks of two hosts differ. */
export function ageText(fromMs: number, nowMs: number): string {
  if (!Number.isFinite(fromMs)) return "?";
  const seconds = Math.max(0, Math.floor((nowMs - fromMs) / 1_000));
  if (seconds < MINUTE_S) return `${seconds}s`;
  if (seconds < HOUR_S) return `${Math.floor(seconds / MINUTE_S)}m`;
  if (seconds < DAY_S) return `${Math.floor(seconds / HOUR_S)}h`;
  return `${Math.floor(seconds / DAY_S)}d`;
}
