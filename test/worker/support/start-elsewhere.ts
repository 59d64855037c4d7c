/** `start-elsewhere.ts BASE BACKEND`: starts a worker in the roots below BASE as a daemon would, and stays until it is killed. */

import { join } from "node:path";
import { newKey, supervisorFor } from "./worker-under-test.ts";

const [base = "", backend] = process.argv.slice(2);
const roots = { runtime: join(base, "r", "pohunek"), state: join(base, "s", "pohunek") };
const supervisor = supervisorFor(roots, backend === "subprocess" ? "subprocess" : "detached");
await supervisor.start(newKey());
setInterval(() => undefined, 60_000);
