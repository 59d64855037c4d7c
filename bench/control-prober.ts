/**
 * Makes requests to a daemon as another program would, one after the other until its standard input ends, then prints how
 * long each took, in ms. A process of its own: the benchmark itself blocks in its reads.
 *
 *   bun bench/control-prober.ts SOCKET SESSION-NAME
 */

import { connect } from "@pohunek/sdk";
import { unixTransport } from "@pohunek/sdk/node";

/** Between two requests: often enough for a 99th percentile of one flood, too seldom to slow the flood down. */
const GAP_MS = 10;

async function probe(socket: string, name: string): Promise<readonly number[]> {
  await using client = await connect({ transport: unixTransport(socket) });
  const id = (await client.call("session.list")).find((session) => session.name === name)?.id;
  if (id === undefined) throw new Error(`there is no session "${name}"`);
  const requests = [
    async (): Promise<unknown> => client.call("session.list"),
    async (): Promise<unknown> => client.call("session.screen", { session_id: id }),
  ];
  for (const request of requests) await request();
  console.log("ready");
  let isOver = false;
  void Bun.stdin.bytes().then(() => {
    isOver = true;
  });
  const samples: number[] = [];
  for (let turn = 0; !isOver; turn++) {
    const startedAt = performance.now();
    await requests[turn % requests.length]?.();
    samples.push(performance.now() - startedAt);
    await Bun.sleep(GAP_MS);
  }
  return samples;
}

const [socket = "", name = ""] = process.argv.slice(2);
console.log(JSON.stringify(await probe(socket, name)));
