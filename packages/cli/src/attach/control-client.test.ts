import { expect, test } from "bun:test";
import type { Client } from "@pohunek/sdk";
import { ControlClient } from "./control-client.ts";

/** As much of a client as is asked of it. */
class StandIn {
  isClosed = false;

  async close(): Promise<void> {
    this.isClosed = true;
  }
}

function connecting() {
  const made: StandIn[] = [];
  const connect = async (): Promise<Client> => {
    await Promise.resolve();
    const client = new StandIn();
    made.push(client);
    return client as unknown as Client;
  };
  return { made, connect, first: new StandIn() };
}

test("one that is open is kept, and one that is closed is made anew once for all who ask", async () => {
  const { made, connect, first } = connecting();
  const control = new ControlClient(connect);
  control.adopt(first as unknown as Client);
  expect(await control.open()).toBe(first as unknown as Client);
  await first.close();
  const [one, other, renewed] = await Promise.all([control.open(), control.open(), control.renew()]);
  expect(made).toHaveLength(1);
  const only = made[0] as unknown as Client;
  for (const got of [one, other, renewed, await control.open()]) expect(got).toBe(only);
});

test("the one before is closed, and so is the last", async () => {
  const { made, connect, first } = connecting();
  {
    await using control = new ControlClient(connect);
    control.adopt(first as unknown as Client);
    await control.renew();
    expect([first.isClosed, made[0]?.isClosed]).toEqual([true, false]);
  }
  expect(made.map(({ isClosed }) => isClosed)).toEqual([true]);
});

test("a try that fails is followed by another one", async () => {
  const { connect } = connecting();
  let tries = 0;
  const control = new ControlClient(async () => {
    tries += 1;
    if (tries === 1) throw new Error("no daemon");
    return connect();
  });
  const failed = await control.renew().catch((error: unknown) => error);
  expect(failed).toMatchObject({ message: "no daemon" });
  expect((await control.open()).isClosed).toBe(false);
});
