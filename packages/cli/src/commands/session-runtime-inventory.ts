import { command } from "../command-line/command.ts";
import { connectHost } from "../connection/connect-host.ts";
import { plainText } from "../output/plain-text.ts";
import type { Column } from "../output/table.ts";
import { layOutTable } from "../output/table.ts";
import { tableLook } from "../output/table-look.ts";

const COLUMNS: readonly Column[] = [
  { title: "SLOT", minimum: 12 },
  { title: "STATUS", minimum: 8 },
  { title: "SESSION", minimum: 12 },
  { title: "WORKER", minimum: 12 },
  { title: "REASON", minimum: 6 },
];

export const sessionRuntimeInventory = command({
  name: "session runtime-inventory",
  summary: "List the workers that the host has, and those that it should have",
  flags: {},
  async run(context) {
    await using client = await connectHost(context);
    const inventory = await client.call("session.runtime_inventory");
    return {
      ok: inventory,
      human: () => {
        if (inventory.entries.length === 0) return "No workers.\n";
        const rows = inventory.entries.map((entry) =>
          [entry.runtime_slot, entry.status, entry.claimed_session_id, entry.worker_instance_id, entry.reason].map(
            (text) => ({ text: plainText(text ?? "") }),
          ),
        );
        return `${layOutTable(COLUMNS, rows, tableLook(context)).join("\n")}\n`;
      },
    };
  },
});
