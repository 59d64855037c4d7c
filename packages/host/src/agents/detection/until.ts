const UNIT_MS: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000 };
const DURATION = /(\d{1,4}) ?(days?|d|hours?|hrs?|h|minutes?|mins?|m|seconds?|secs?|s)\b/gi;
const CLOCK = /\b(\d{1,2})(?::(\d{2}))? ?(am|pm)?\b/i;
/** A day and a little: a time of day is the next one. */
const DAY_MS = 86_400_000;

/** When a text says that something ends: a date, a time of day (of this machine), or a duration from now. */
export function readUntil(text: string, nowMs: number): number | undefined {
  const date = /\b\d{4}-\d{2}-\d{2}T[\d:.]+(?:Z|[+-]\d{2}:?\d{2})?/.exec(text);
  if (date !== null) {
    const at = Date.parse(date[0]);
    return Number.isNaN(at) ? undefined : at;
  }
  const durations = [...text.slice(0, 200).matchAll(DURATION)];
  if (durations.length > 0) {
    return nowMs + durations.reduce((sum, [, count, unit]) => sum + Number(count) * unitMs(unit), 0);
  }
  const clock = CLOCK.exec(text);
  return clock === null ? undefined : timeOfDay(clock, nowMs);
}

function unitMs(unit: string | undefined): number {
  return UNIT_MS[(unit ?? "s")[0]?.toLowerCase() ?? "s"] ?? 0;
}

function timeOfDay([, hours, minutes, half]: RegExpExecArray, nowMs: number): number | undefined {
  if (minutes === undefined && half === undefined) {
    return undefined;
  }
  const isAfternoon = half?.toLowerCase() === "pm";
  const hour = half === undefined ? Number(hours) : (Number(hours) % 12) + (isAfternoon ? 12 : 0);
  if (hour > 23 || Number(minutes ?? 0) > 59) {
    return undefined;
  }
  const at = new Date(nowMs);
  at.setHours(hour, Number(minutes ?? 0), 0, 0);
  return at.getTime() + (at.getTime() <= nowMs ? DAY_MS : 0);
}
