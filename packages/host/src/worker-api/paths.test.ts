import { expect, test } from "bun:test";
import { LONGEST_SOCKET, newSessionId } from "@pohunek/protocol/wire";
import { workerSocketPath } from "./paths.ts";

test("no socket has a longer path below the runtime directory than the one that is reckoned with", () => {
  expect(workerSocketPath("/run/pohunek", newSessionId())).toHaveLength("/run".length + LONGEST_SOCKET.length);
});
