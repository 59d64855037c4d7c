export type { Cut } from "./cutting-proxy.ts";
export { CuttingProxy } from "./cutting-proxy.ts";
export { makeDemoPackage, writeDemoProgram } from "./demo-package.ts";
export type { AgentPackage } from "./fixture-agents.ts";
export { notedBy, startAgent, startHostWithAgents } from "./fixture-agents.ts";
export type { Host, SessionFacts } from "./host.ts";
export { startHost } from "./host.ts";
export {
  commandLineOf,
  descriptorCount,
  environmentOf,
  isAlive,
  parentOf,
  processesMentioning,
  processorMs,
  proportionalKib,
  startIdentityOf,
} from "./processes.ts";
export { programCommand } from "./program.ts";
export { RawAttach } from "./raw-attach.ts";
export type { WireAnswer } from "./raw-client.ts";
export { RawClient } from "./raw-client.ts";
export { runDaemon } from "./refused-daemon.ts";
export { Relay } from "./relay.ts";
export { installRuntime, StubAgent, stubPath, writeProfile } from "./stub-agent.ts";
export { TalkingAgent } from "./talking-agent.ts";
export { TempRoots } from "./temp-roots.ts";
export { until } from "./until.ts";
