/** Runs the conformance checks in whatever runtime this is, against the endpoints in the first argument. */

import type { Endpoints } from "./conformance.ts";
import { checkConformance } from "./conformance.ts";

const endpoints = JSON.parse(process.argv[2] ?? "") as Endpoints;
const transports = await checkConformance(endpoints);
console.log(JSON.stringify({ transports, sdk: import.meta.resolve("@pohunek/sdk"), versions: process.versions }));
