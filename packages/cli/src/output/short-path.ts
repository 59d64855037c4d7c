/** A path as people write it: `~` for the home folder. */
export function shortPath(path: string, home: string | undefined): string {
  if (home === undefined || home === "" || home === "/") return path;
  if (path === home) return "~";
  return path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}
