import { z } from "zod";
import { defineMethods, noParams, openObject } from "../schema.ts";

export const subscription = defineMethods({
  /** Registers before it answers; after that the connection carries events only and reads nothing more. */
  subscribe: { params: noParams("subscribe"), result: openObject({ subscribed: z.literal(true) }) },
});
