import type { Hyperlink } from "../engine/terminal-state.ts";

/**
 * Body of the OSC 8 that begins a link, or ends the one there is. Cells of one link belong together wherever they stand, but
 * they are painted row by row: a link that the program did not name gets a name, or its parts would become links of their own.
 */
export function linkBody(link: Hyperlink | undefined): string {
  return link === undefined ? "8;;" : `8;id=${link.id ?? `pohunek-${link.key.slice(1)}`};${link.uri}`;
}
