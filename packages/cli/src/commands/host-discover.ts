import type { HostRecord } from "@pohunek/protocol";
import { command } from "../command-line/command.ts";
import { connectHost } from "../connection/connect-host.ts";
import type { CommandContext } from "../context.ts";
import { plainText } from "../output/plain-text.ts";
import type { Column } from "../output/table.ts";
import { layOutTable } from "../output/table.ts";
import { tableLook } from "../output/table-look.ts";

const COLUMNS: readonly Column[] = [
  { title: "HOST", minimum: 12 },
  { title: "OVERLAY", minimum: 7 },
  { title: "ADDRESS", minimum: 12 },
  { title: "DAEMON", minimum: 10 },
];

export const hostDiscover = command({
  name: "host discover",
  summary: "Look for other hosts on the private overlays",
  flags: { refresh: { type: "switch", summary: "Look again instead of using what was found a moment ago" } },
  async run(context, { flags }) {
    await using client = await connectHost(context);
    const hosts = await client.call("host.discover", { force: flags.refresh });
    return { ok: hosts, human: () => hostTable(context, hosts.map(hostRow)) };
  },
});

export function hostRow(host: HostRecord): readonly string[] {
  const daemon = host.classification === "reachable_daemon" ? (host.daemon_version ?? "") : host.classification;
  return [host.name ?? host.fqdn ?? "", host.overlay, host.address ?? "", daemon.replaceAll("_", " ")];
}

export function hostTable(context: CommandContext, rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return "No other hosts: no private overlay is configured, or nobody answers on it.\n";
  const cells = rows.map((row) => row.map((text) => ({ text: plainText(text) })));
  return `${layOutTable(COLUMNS, cells, tableLook(context)).join("\n")}\n`;
}
