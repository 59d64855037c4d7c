import { parseEventPayload, parseResult } from "@pohunek/protocol";
import type { ResultValidator } from "./validator.ts";

/** Checks every result and event against its declaration. Unknown fields and enum values of a newer host stay. */
export const validateEverything: ResultValidator = {
  result: (method, result) => parseResult(method, result),
  event: (name, payload) => parseEventPayload(name, payload),
};
