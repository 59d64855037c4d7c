import { z } from "zod";
import { count, defineMethods, openEnum, openObject, orNull, schemaNotes } from "../schema.ts";
import { INTEGRATION_INSTALL_STATES, INTEGRATION_RECOVERIES } from "../wire/enums.ts";
import { wireError } from "./wire-error.ts";

const selectorShape = {
  agent: z.string().min(1).optional(),
  /** On the host itself only. */
  profile: z.string().min(1).optional(),
  /** On the host itself only, and not beside `profile`. */
  all_profiles: z.boolean().optional(),
};

function isOneSelector(params: { readonly profile?: string; readonly all_profiles?: boolean }): boolean {
  return params.profile === undefined || params.all_profiles !== true;
}

const selectors = orNull(z.object(selectorShape).refine(isOneSelector, "profile and all_profiles exclude each other"));
const strictSelectors = orNull(
  z.strictObject(selectorShape).refine(isOneSelector, "profile and all_profiles exclude each other"),
);

const homeField = openObject({ profiles: z.array(z.string()).optional(), bare: z.boolean().optional() }).optional();
const failure = openObject({ agent: z.string(), home: homeField, error: wireError });
const strings = z.array(z.string());

const agentStatus = openObject({
  agent: z.string(),
  available: z.boolean(),
  expected_asset_paths: strings,
  present_asset_paths: strings,
  registration_paths: strings,
  installed_version: count.nullable(),
  expected_version: count,
  state: openEnum(INTEGRATION_INSTALL_STATES),
  recovery: openEnum(INTEGRATION_RECOVERIES),
  warnings: strings,
  home: homeField,
}).register(schemaNotes, { label: "IntegrationStatus" });
export type IntegrationStatus = z.output<typeof agentStatus>;

const finding = openObject({
  code: z.string(),
  severity: z.string(),
  summary: z.string(),
  remediation: z.string().optional(),
});

export const integration = defineMethods({
  "integration.install": {
    params: selectors,
    result: openObject({
      installed: z.array(
        openObject({
          agent: z.string(),
          hook_path: z.string(),
          config_paths: strings,
          cleanup_incomplete: strings,
          home: homeField,
        }),
      ),
      failed: z.array(failure).optional(),
    }),
  },
  "integration.status": { params: strictSelectors, result: openObject({ agents: z.array(agentStatus) }) },
  "integration.doctor": {
    params: selectors,
    result: openObject({
      agents: z.array(
        openObject({
          agent: z.string(),
          ok: z.boolean(),
          status: agentStatus.optional(),
          findings: z.array(finding),
          home: homeField,
        }),
      ),
      ok: z.boolean(),
    }),
  },
  "integration.uninstall": {
    params: selectors,
    result: openObject({
      uninstalled: z.array(
        openObject({
          agent: z.string(),
          state: openEnum(INTEGRATION_INSTALL_STATES),
          removed_paths: strings,
          updated_paths: strings,
          preserved_paths: strings,
          cleanup_incomplete: strings,
          home: homeField,
        }),
      ),
      failed: z.array(failure).optional(),
    }),
  },
});
