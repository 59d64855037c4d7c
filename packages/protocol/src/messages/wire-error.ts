import { z } from "zod";
import { schemaNotes } from "../schema.ts";
import { ERROR_CLASSES } from "../wire/errors/row.ts";

/** A failure inside a result: the strict shape of `err`. */
export const wireError = z
  .strictObject({
    class: z.enum(ERROR_CLASSES as [(typeof ERROR_CLASSES)[number], ...(typeof ERROR_CLASSES)[number][]]),
    code: z.string().min(1),
    msg: z.string(),
    recover: z.string().optional(),
  })
  .register(schemaNotes, { label: "ProtocolError" });
