import { z } from "zod";
import { defineMethods, openEnum, openObject } from "../schema.ts";
import { CONCEPT_INTENTS } from "../wire/enums.ts";

const concept = openObject({
  type: z.string(),
  id: z.string(),
  title: z.string(),
  description: z.string(),
  intents: z.array(openEnum(CONCEPT_INTENTS)).optional(),
  since: z.string().optional(),
  changed_in: z.string().optional(),
  deprecated: openObject({ version: z.string(), successor: z.string().optional() }).optional(),
});

export const assistant = defineMethods({
  "assistant.materialize": {
    /** `snapshot` is a JSON document as text. */
    params: z.object({ snapshot: z.string() }),
    result: openObject({
      bundle_path: z.string(),
      snapshot_path: z.string(),
      version: z.string(),
      content_hash: z.string(),
      concepts: z.array(concept),
    }),
  },
});
