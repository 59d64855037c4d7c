import { existsSync } from "node:fs";
import type { IntegrationInstallState } from "@pohunek/protocol/wire";
import { isProtocolError, protocolError } from "@pohunek/protocol/wire";
import { isBare, stateOf, withHooks, withoutHooks } from "./hook-registration.ts";
import type { IntegrationHome } from "./integration-homes.ts";
import { SettingsFile } from "./settings-file.ts";

export interface IntegrationOptions {
  /** The words that run this program. */
  readonly program: readonly string[];
  readonly uid: number;
  readonly syncDirectory: (path: string) => void;
}

export interface HomeStatus {
  readonly state: IntegrationInstallState;
  /** The settings can't be understood or trusted; the code says which. */
  readonly fault?: string;
  readonly isThere: boolean;
  readonly settings: string;
}

export interface Finding {
  readonly code: string;
  readonly severity: "info" | "warning" | "error";
  readonly summary: string;
  readonly remediation?: string;
}

/** Our hooks in an agent's settings. Each change replaces one file in one step, so a home is as before or as wanted. */
export class Integration {
  readonly #options: IntegrationOptions;

  constructor(options: IntegrationOptions) {
    this.#options = options;
  }

  /** Where the settings are. Fails with what is in the way; then nothing has changed. */
  install({ handler, path, isLeftover, name, runtimes }: IntegrationHome): string {
    if (isLeftover) {
      throw protocolError("agent_not_installable", { message: `no installed package uses the hooks of ${name}` });
    }
    ensureOneOwner(runtimes, name);
    if (!existsSync(path)) {
      throw protocolError("agent_config_dir_missing");
    }
    const file = this.#fileOf({ handler, path });
    const before = file.read();
    const after = withHooks(before, handler, this.#options.program);
    if (before === undefined || stateOf(before, handler, this.#options.program) !== "current") {
      file.replace(before, after);
    }
    return file.path;
  }

  /** What was taken away or changed. */
  uninstall({ handler, path, name, runtimes }: IntegrationHome): {
    removed: string[];
    updated: string[];
    kept: string[];
  } {
    ensureOneOwner(runtimes, name);
    const file = this.#fileOf({ handler, path });
    const before = existsSync(path) ? file.read() : undefined;
    if (before === undefined) {
      return { removed: [], updated: [], kept: [] };
    }
    const after = withoutHooks(before, handler);
    if (after === before) {
      return { removed: [], updated: [], kept: [file.path] };
    }
    if (handler.settings.isHooksOnly && isBare(after)) {
      file.remove(before);
      return { removed: [file.path], updated: [], kept: [] };
    }
    file.replace(before, after);
    return { removed: [], updated: [file.path], kept: [] };
  }

  status({ handler, path }: IntegrationHome): HomeStatus {
    const file = this.#fileOf({ handler, path });
    const isThere = existsSync(path);
    try {
      const text = isThere ? file.read() : undefined;
      const state = text === undefined ? "not_installed" : stateOf(text, handler, this.#options.program);
      return { state, isThere, settings: file.path };
    } catch (cause) {
      if (!isProtocolError(cause)) throw cause;
      return { state: "not_installed", fault: cause.code, isThere, settings: file.path };
    }
  }

  /** What its owner should know and do. */
  examine(home: IntegrationHome): readonly Finding[] {
    const { state, fault, isThere, settings } = this.status(home);
    const { handler, isLeftover, name } = home;
    const [program = ""] = this.#options.program;
    const findings: Finding[] = [];
    if (fault !== undefined) {
      findings.push({ code: fault, severity: "error", summary: `${settings} can't be used, and was left alone` });
    } else if (isLeftover && state !== "not_installed") {
      const remediation = `pohunek integration uninstall ${name}`;
      findings.push({
        code: "hooks_left_over",
        severity: "warning",
        summary: "no package uses these hooks",
        remediation,
      });
    } else if (state === "outdated") {
      const remediation = `pohunek integration update ${name}`;
      findings.push({
        code: "hooks_outdated",
        severity: "warning",
        summary: "the hooks are not those of this release",
        remediation,
      });
    } else if (state === "not_installed" && isThere && !isLeftover) {
      const remediation = `pohunek integration install ${name}`;
      findings.push({
        code: "hooks_not_installed",
        severity: "info",
        summary: "the agent reports nothing by hooks",
        remediation,
      });
    } else if (state === "current" && handler.settings.trustStep !== undefined) {
      const summary = "the agent asks before it runs new hooks";
      findings.push({ code: "trust_needed", severity: "info", summary, remediation: handler.settings.trustStep });
    }
    if (!existsSync(program)) {
      findings.push({
        code: "program_missing",
        severity: "error",
        summary: "the program that hooks would run is not there",
      });
    }
    return findings;
  }

  #fileOf({ handler, path }: Pick<IntegrationHome, "handler" | "path">): SettingsFile {
    return new SettingsFile({ ...this.#options, home: path, file: handler.settings.file });
  }
}

/** One change for several agents at once is only made for one that is named. */
function ensureOneOwner(runtimes: readonly string[], name: string): void {
  if (runtimes.length > 1 && !runtimes.includes(name)) {
    throw protocolError("integration_home_ambiguous_owner", {
      message: `several agents use this configuration directory: ${runtimes.join(", ")}`,
      recover: "Name one of them.",
    });
  }
}
