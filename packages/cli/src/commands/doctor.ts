import type { ProtocolError } from "@pohunek/protocol/wire";
import { isProtocolError } from "@pohunek/protocol/wire";
import { command } from "../command-line/command.ts";
import { connectHost, requireLocal } from "../connection/connect-host.ts";
import type { CommandContext } from "../context.ts";
import type { Check } from "../doctor/check.ts";
import { fail, ok, reportOf, warn } from "../doctor/check.ts";
import {
  checkKeys,
  checkRuntimeRoot,
  checkShell,
  checkSocket,
  checkTerminal,
  checkWritable,
} from "../doctor/local-checks.ts";
import { plainText } from "../output/plain-text.ts";
import { padTo } from "../output/text-width.ts";
import { CLI_VERSION } from "../version.ts";

/** The daemon asks installed agents for their versions, each of which may take seconds. */
const ANSWER_TIMEOUT_MS = 60_000;

export const doctor = command({
  name: "doctor",
  summary: "Check what pohunek needs on this machine",
  isDaily: true,
  details: ["Works without a daemon. Ends with 1 when a check failed."],
  flags: {},
  async run(context) {
    requireLocal(context.host);
    const report = reportOf([...(await localChecks(context)), ...(await daemonChecks(context))]);
    return { ok: report, human: () => reportText(context, report), exitCode: report.overall === "fail" ? 1 : 0 };
  },
});

async function localChecks({ settings, terminal }: CommandContext): Promise<Check[]> {
  const uid = process.getuid?.() ?? 0;
  const { check, place } = await checkRuntimeRoot(settings, uid);
  return [
    ok("pohunek", CLI_VERSION),
    check,
    ...(place === undefined ? [] : [checkSocket(place, uid)]),
    checkWritable("state directory", settings.stateRoot),
    checkWritable("configuration directory", settings.configRoot),
    checkShell(settings.shell),
    checkTerminal(terminal, settings.term),
    await checkKeys(settings),
  ];
}

async function daemonChecks(context: CommandContext): Promise<Check[]> {
  try {
    await using client = await connectHost(context);
    const { daemon_version: version, protocol_version: protocol } = await client.call("daemon.health");
    const { report } = await client.call("daemon.doctor", null, { timeoutMs: ANSWER_TIMEOUT_MS });
    const own = version === CLI_VERSION ? ok : warn;
    const theirs = report.checks.map(({ name, status, detail }): Check => {
      // A status of a newer daemon is at least worth a look.
      const known = (["ok", "warn", "fail"] as const).find((one) => one === status) ?? "warn";
      return { name: `daemon: ${name}`, status: known, detail };
    });
    return [own("daemon", `${version}, protocol ${protocol}`), ...theirs];
  } catch (error) {
    if (!isProtocolError(error)) throw error;
    return [unreachable(error)];
  }
}

/** A daemon that does not run is started when it is needed; one that refuses is a fault. */
function unreachable(error: ProtocolError): Check {
  return error.code === "daemon_unreachable"
    ? warn("daemon", "does not run")
    : fail("daemon", `${error.message} (${error.code})`);
}

function reportText({ paint }: CommandContext, report: ReturnType<typeof reportOf>): string {
  const width = Math.max(...report.checks.map(({ name }) => name.length)) + 2;
  const colours = { ok: "green", warn: "yellow", fail: "red" } as const;
  const lines = report.checks.map(
    ({ name, status, detail }) =>
      `${paint(colours[status], padTo(status, 4))}  ${padTo(plainText(name), width)}${plainText(detail)}\n`,
  );
  return `${lines.join("")}overall: ${paint(colours[report.overall], report.overall)}\n`;
}
