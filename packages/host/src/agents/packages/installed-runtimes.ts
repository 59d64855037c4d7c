import type { ProtocolError } from "@pohunek/protocol/wire";
import { protocolError } from "@pohunek/protocol/wire";
import type { RuntimeDefinition, RuntimeSource } from "../runtime-definition.ts";
import { SHELL_DEFINITION } from "./shell-runtime.ts";

/** The runtimes of this host: the compiled-in shell and what packages provide. */
export class InstalledRuntimes implements RuntimeSource {
  get all(): readonly RuntimeDefinition[] {
    return [SHELL_DEFINITION];
  }

  byName(id: string): RuntimeDefinition {
    const found = this.all.find((runtime) => runtime.id === id);
    if (found === undefined) throw notInstalled(id);
    return found;
  }

  byDigest(_digest: string, runtimeId: string): RuntimeDefinition {
    throw notInstalled(runtimeId);
  }

  isEnabled(_digest: string): boolean {
    return false;
  }
}

function notInstalled(id: string): ProtocolError {
  return protocolError("runtime_not_installed", { message: `no runtime named ${JSON.stringify(id)} is installed` });
}
