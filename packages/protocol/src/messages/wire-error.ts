import { z } from "zod";
import { closedEnum, schemaNotes } from "../schema.ts";
import { ERROR_CLASSES } from "../wire/errors/row.ts";

/** A failure inside a result: the strict shape of `err`. */
export const wireError = z
  .strictObject({
    class: closedEnum(ERROR_CLASSES),
    code: z.string().min(1),
    msg: z.string(),
    recover: z.string().optional(),
  })
  .register(schemaNotes, { label: "ProtocolError" });
