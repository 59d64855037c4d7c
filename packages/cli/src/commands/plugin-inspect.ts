import { command } from "../command-line/command.ts";
import { connectPackages } from "../plugins/connect-packages.ts";
import { findPackage, PACKAGE_ARGUMENT } from "../plugins/find-package.ts";
import { packageDetails } from "../plugins/package-text.ts";

export const pluginInspect = command({
  name: "plugin inspect",
  summary: "Show one package and what it runs",
  arguments: [PACKAGE_ARGUMENT],
  flags: {},
  async run(context, { words }) {
    await using client = await connectPackages(context);
    const { digest } = await findPackage(client, words[0]);
    const result = await client.call("package.inspect", { digest });
    return { ok: result, human: () => packageDetails(result.package, result.runtime) };
  },
});
