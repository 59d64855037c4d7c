import { expect, test } from "bun:test";
import { join } from "node:path";
import { isRecord, protocolError } from "@pohunek/protocol/wire";
import type { Endpoints } from "./conformance.ts";
import { checkConformance } from "./conformance.ts";
import { Gateway } from "./gateway.ts";
import { ProtocolServer } from "./protocol-server.ts";
import { sampleSession } from "./sample-session.ts";

const ROOT = join(import.meta.dir, "../..");
const HOST = "studio";

/** A daemon stand-in with one running session that echoes, and what the checks expect of it. */
async function startConformanceServer(): Promise<ProtocolServer> {
  const server: ProtocolServer = await ProtocolServer.start({
    handlers: {
      "session.list": () => [sampleSession()],
      "session.inspect": () => {
        throw protocolError("session_not_found");
      },
      "session.rename": (params) => {
        const name = isRecord(params) ? String(params["name"]) : "";
        const session = sampleSession({ name });
        server.emit("session_updated", { session });
        return { session };
      },
      "session.attach": (params) => {
        if (isRecord(params) && params["session_id"] !== "s-1") throw protocolError("session_not_running");
        return { stream_id: "a-1" };
      },
      "session.detach": () => ({ detached: false }),
      "session.wait": async (params) => {
        if (isRecord(params) && params["states"] !== undefined) {
          return { reason: "state_matched", session: sampleSession({ state: "done" }) };
        }
        await Bun.sleep(isRecord(params) ? Number(params["timeout_ms"]) : 0);
        return { reason: "timeout", session: sampleSession() };
      },
    },
    attach: (_streamId, socket, input) => {
      socket.write("$ ");
      if (input.length > 0) socket.write(input);
      socket.on("data", (chunk) => socket.write(chunk));
    },
  });
  return server;
}

function endpointsOf(server: ProtocolServer, gateway: Gateway): Endpoints {
  return { socketPath: server.socketPath, tcpPort: server.tcpPort, gatewayUrl: gateway.baseUrl, gatewayHost: HOST };
}

async function run(command: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const child = Bun.spawn([...command], { cwd: ROOT, stdout: "pipe", stderr: "pipe" });
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  return { code: await child.exited, stdout, stderr };
}

test("the client keeps to the protocol on Bun, over Unix socket, TCP and WebSocket", async () => {
  await using server = await startConformanceServer();
  await using gateway = new Gateway(HOST, server.socketPath);
  expect(await checkConformance(endpointsOf(server, gateway))).toEqual(["unix", "tcp", "webSocket"]);
}, 30_000);

test("the compiled client keeps to the protocol on Node, over Unix socket, TCP and WebSocket", async () => {
  const built = await run([join(ROOT, "node_modules/.bin/tsc"), "-b", "packages/sdk"]);
  expect(built).toEqual({ code: 0, stdout: "", stderr: "" });
  await using server = await startConformanceServer();
  await using gateway = new Gateway(HOST, server.socketPath);
  const script = join(ROOT, "test/fixtures/run-conformance.ts");
  const node = await run([join(ROOT, "node_modules/.bin/node"), script, JSON.stringify(endpointsOf(server, gateway))]);
  expect({ code: node.code, stderr: node.code === 0 ? "" : node.stderr }).toEqual({ code: 0, stderr: "" });
  const report = JSON.parse(node.stdout) as { transports: string[]; sdk: string; versions: Record<string, string> };
  expect(report.transports).toEqual(["unix", "tcp", "webSocket"]);
  expect(report.sdk).toEndWith("/packages/sdk/dist/index.js");
  expect(report.versions["bun"]).toBeUndefined();
  expect(Number.parseInt(report.versions["node"] ?? "", 10)).toBeGreaterThanOrEqual(22);
}, 60_000);
