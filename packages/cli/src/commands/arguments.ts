import type { Argument } from "../command-line/command.ts";

export const SESSION_ARGUMENT: Argument = {
  name: "session",
  summary: "Its name, its id, or the beginning of its id; [host/] before it for another host",
  completes: "session",
};

export const OPTIONAL_SESSION: Argument = { ...SESSION_ARGUMENT, isOptional: true };
