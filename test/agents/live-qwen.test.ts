// Runs alone: what is told is compared with the truth to the second.
import { describeLive } from "../support/agents/live-scenario.ts";

describeLive("qwen");
