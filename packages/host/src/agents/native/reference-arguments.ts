import { NEW_REFERENCE, REFERENCE } from "../packages/argv-template.ts";

/** Whether a fork with these arguments gets a reference of our own. */
export function assignsNewReference(args: readonly string[]): boolean {
  return args.includes(NEW_REFERENCE);
}

/** Puts the references in. They stay single arguments whatever they hold: no shell ever reads them. */
export function fillReferences(
  args: readonly string[],
  references: { readonly reference: string; readonly newReference?: string },
): string[] {
  return args.map((argument) => {
    if (argument === REFERENCE) {
      return references.reference;
    }
    return argument === NEW_REFERENCE ? (references.newReference ?? argument) : argument;
  });
}
