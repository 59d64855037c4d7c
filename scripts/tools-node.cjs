// Loaded into npm on a machine whose own Node is old (Debian 12 has 18). npm leaves out optional packages, native parts of our
// tools among them, that do not support the Node that runs npm; the tools run with the Node that this install brings.
const { devDependencies } = require("../package.json");

Object.defineProperty(process, "version", { value: `v${devDependencies.node}` });
