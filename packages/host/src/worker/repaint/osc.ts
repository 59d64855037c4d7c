/** An operating system command, ended by ST. */
export function osc(body: string): string {
  return `\x1b]${body}\x1b\\`;
}
