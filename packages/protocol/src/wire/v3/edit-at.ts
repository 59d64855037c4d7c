import { protocolError } from "../protocol-error.ts";
import { isRecord } from "../text.ts";
import type { Path } from "./sites.ts";

export type Edit = (object: Record<string, unknown>) => Record<string, unknown>;

/**
 * Applies an edit to the objects that a path leads to and returns the value with copies along the path, or the value
 * itself when nothing changed. What is absent or null is left alone; anything else that is not where the path expects
 * it cannot be translated.
 */
export function editAt(value: unknown, path: Path, edit: Edit): unknown {
  if (value === undefined || value === null) return value;
  const [key, ...rest] = path;
  if (key === "*") return editElements(value, rest, edit);
  if (!isRecord(value)) throw untranslatable("an object was expected");
  if (key === undefined) return edit(value);
  const child = value[key];
  const edited = editAt(child, rest, edit);
  return edited === child ? value : { ...value, [key]: edited };
}

function editElements(value: unknown, rest: Path, edit: Edit): unknown {
  if (!Array.isArray(value)) throw untranslatable("a list was expected");
  const elements: readonly unknown[] = value;
  const edited = elements.map((element) => editAt(element, rest, edit));
  return edited.some((element, index) => element !== elements[index]) ? edited : value;
}

/** Renames a key where it is present. An object that already has the other spelling is a conflict, not a merge. */
export function renameKey(object: Record<string, unknown>, from: string, to: string): Record<string, unknown> {
  if (Object.hasOwn(object, to)) throw untranslatable(`${to} is not a field of this protocol version`);
  if (!Object.hasOwn(object, from)) return object;
  const { [from]: renamed, ...others } = object;
  return { ...others, [to]: renamed };
}

function untranslatable(reason: string) {
  return protocolError("version_translation_failed", { message: `the payload cannot be translated: ${reason}` });
}
