import { isWithinMetadataLimits } from "@pohunek/protocol";
import { protocolError } from "@pohunek/protocol/wire";
import { claimName } from "../../sessions/claim-name.ts";
import type { Registry } from "../../sessions/registry.ts";
import { toSessionInfo } from "../../sessions/session-info.ts";
import type { Handlers } from "../dispatcher.ts";

type SettingsMethods = Pick<Handlers, "session.rename" | "session.set_metadata">;

/** What an owner writes on a session. It is kept and shown, and nothing acts on it. */
export function settingsMethods(registry: Registry): SettingsMethods {
  return {
    "session.rename": ({ session_id, name, name_clash: clash = "allow" }) => {
      const session = registry.get(session_id);
      registry.update(session, {
        name: name === undefined ? undefined : claimName(registry.all, { name, clash, own: session }),
      });
      return { session: toSessionInfo(session) };
    },
    "session.set_metadata": ({ session_id, metadata: changes }) => {
      const session = registry.get(session_id);
      const metadata = withChanges(session.record.metadata, changes);
      if (!isWithinMetadataLimits(metadata)) {
        throw protocolError("bad_request", {
          message: "session.set_metadata: a session keeps at most 32 keys and 16 KiB of metadata",
        });
      }
      registry.update(session, { metadata });
      return { session: toSessionInfo(session) };
    },
  };
}

function withChanges(
  metadata: Readonly<Record<string, string>>,
  changes: Readonly<Record<string, string | null>>,
): Record<string, string> {
  const merged = new Map(Object.entries(metadata));
  for (const [key, value] of Object.entries(changes)) {
    if (value === null) {
      merged.delete(key);
    } else {
      merged.set(key, value);
    }
  }
  return Object.fromEntries(merged);
}
