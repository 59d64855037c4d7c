import { protocolError } from "@pohunek/protocol/wire";
import type { WorkerClient } from "../worker-api/client.ts";
import { workerSilent } from "../worker-api/worker-error.ts";
import { hasEnded, SILENT } from "./lifecycle.ts";
import type { Session } from "./session.ts";

function notConnected({ record }: Session): Error {
  return record.runtime.lossReason === SILENT ? workerSilent() : protocolError("session_runtime_reconnecting");
}

/** The connected worker of a session whose program runs. Fails with what is in the way. */
export function runningWorker(session: Session): WorkerClient {
  if (hasEnded(session.record)) {
    throw protocolError("session_not_running");
  }
  return reachableWorker(session);
}

/** The connected worker of a session, also when its program has ended and only its last screen is left. */
export function reachableWorker(session: Session): WorkerClient {
  const { state } = session.record.runtime;
  if (state === "conflict") {
    throw protocolError("session_runtime_conflict");
  }
  if (state === "incompatible") {
    throw protocolError("worker_protocol_incompatible");
  }
  if (session.link?.isConnected) {
    return session.link.client;
  }
  // A daemon that has just started may not have met the worker that keeps the last screen of an ended session.
  const isGone = hasEnded(session.record) && (session.link === undefined || session.link.isOver);
  throw isGone ? protocolError("session_not_running") : notConnected(session);
}
