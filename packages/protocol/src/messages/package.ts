import { z } from "zod";
import { boundedText, count, defineMethods, noParams, openEnum, openObject, schemaNotes } from "../schema.ts";
import {
  PACKAGE_BIND_STATUSES,
  PACKAGE_FAULTS,
  PACKAGE_FINDING_KINDS,
  PACKAGE_INSTALL_STATUSES,
  PACKAGE_ORIGINS,
} from "../wire/enums.ts";
import { LIMITS } from "../wire/limits.ts";

const digest = z.string().regex(/^sha256:[0-9a-f]{64}$/, "must be sha256: and 64 lower-case hex digits");
const path = boundedText(LIMITS.pathBytes).min(1);
const strings = z.array(z.string());

const packageIdentity = openObject({ id: z.string(), version: z.string() }).register(schemaNotes, {
  label: "PackageIdentity",
});

const packageInfo = openObject({
  digest: z.string(),
  package: packageIdentity,
  origin: openEnum(PACKAGE_ORIGINS),
  enabled: z.boolean(),
  selected: z.boolean(),
  installed_at_unix_seconds: count,
  /** The runtime's id, not a worker's. */
  runtime_id: z.string().optional(),
  fault: openEnum(PACKAGE_FAULTS).optional(),
  referenced: z.boolean(),
  /** In lists: why the package cannot be selected. */
  selection_block: openObject({ reason: z.string(), retained: z.string() }).optional(),
}).register(schemaNotes, { label: "PackageInfo" });
export type PackageInfo = z.output<typeof packageInfo>;

const packageRuntime = openObject({
  runtime_id: z.string(),
  display_name: z.string(),
  program: z.string(),
  args: strings,
  launch_args: strings.optional(),
  resume_args: strings.optional(),
  fork_args: strings.optional(),
  prompt_argument: z.boolean(),
  version_probe: z.string().optional(),
  resumable: z.boolean(),
  forkable: z.boolean(),
  integration_handler: z.string().optional(),
}).register(schemaNotes, { label: "PackageRuntimeInfo" });
export type PackageRuntimeInfo = z.output<typeof packageRuntime>;

const installed = openObject({
  status: openEnum(PACKAGE_INSTALL_STATUSES),
  package: packageInfo,
  runtime: packageRuntime,
  reloaded: z.boolean(),
});
const changed = openObject({ package: packageInfo, reloaded: z.boolean() });

const trust = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("explicit_digest"), digest }),
  z.object({ kind: z.literal("catalog"), catalog_path: path }),
]);

export const packages = defineMethods({
  "package.list": {
    params: noParams("package.list"),
    result: openObject({ generation: count, packages: z.array(packageInfo) }),
  },
  "package.inspect": {
    params: z.object({ digest }),
    result: openObject({ package: packageInfo, runtime: packageRuntime.optional() }),
  },
  "package.doctor": {
    params: z.object({ package: z.string().optional() }),
    result: openObject({
      generation: count,
      findings: z.array(
        openObject({
          kind: openEnum(PACKAGE_FINDING_KINDS),
          digest: z.string(),
          package: packageIdentity.optional(),
          fault: openEnum(PACKAGE_FAULTS).optional(),
          referenced: z.boolean(),
          blocked_by: z.string().optional(),
        }),
      ),
    }),
  },
  "package.install": {
    params: z.object({
      archive_path: path,
      trust,
      enable: z.boolean(),
      select: z.boolean(),
      dry_run: z.boolean(),
    }),
    result: installed,
  },
  "package.link": { params: z.object({ directory: path, dry_run: z.boolean() }), result: installed },
  "package.set_enabled": { params: z.object({ digest, enabled: z.boolean() }), result: changed },
  "package.select": { params: z.object({ digest }), result: changed },
  "package.uninstall": {
    params: z.object({ digest, remove_modified: z.boolean() }),
    result: openObject({ digest: z.string(), reloaded: z.boolean() }),
  },
  "package.bind_profile": {
    params: z.object({ profile: z.string().min(1), digest: digest.optional(), dry_run: z.boolean() }),
    result: openObject({
      status: openEnum(PACKAGE_BIND_STATUSES),
      profile: z.string(),
      base: z.string(),
      previous: z.string().optional(),
      package: packageInfo,
      runtime: packageRuntime,
      reloaded: z.boolean(),
    }),
  },
});
