/**
 * A page of which some sections are generated. They lie between `<!-- generated: NAME -->` and `<!-- end -->`; the rest
 * of the page is written by hand.
 */
const SECTION = /(<!-- generated: ([a-z-]+) -->\n)[\s\S]*?(<!-- end -->)/g;

/** Replaces the generated sections of a page. Throws when the page lacks one, or asks for one that nobody makes. */
export function fillSections(page: string, sections: Readonly<Record<string, () => string>>): string {
  const unused = new Set(Object.keys(sections));
  const filled = page.replaceAll(SECTION, (...[, start = "", name = "", end = ""]: readonly string[]) => {
    const make = sections[name];
    if (make === undefined) throw new Error(`the page asks for a section ${name} that is not made`);
    unused.delete(name);
    return `${start}\n${make()}\n\n${end}`;
  });
  if (unused.size > 0) throw new Error(`the page has no place for ${[...unused].join(", ")}`);
  return filled;
}

/** A Markdown table. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}
