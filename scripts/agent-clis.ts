/** Installs the real agents for the live tests: `bun scripts/agent-clis.ts`, or with POHUNEK_LIVE_AGENTS=all every one. */

import { installAgents, wantedAgents, whyNotLive } from "./testing/agent-clis.ts";

const wanted = wantedAgents();
for (const sentence of await installAgents(wanted)) console.log(sentence);
const missing = wanted.filter((agent) => whyNotLive(agent) !== undefined);
for (const agent of wanted) console.log(`${agent}: ${whyNotLive(agent) ?? "ready"}`);
process.exitCode = missing.length === 0 ? 0 : 1;
