/** The release of this program; one version for all packages (version.test.ts compares it with package.json). */
export const CLI_VERSION = "0.1.0";
