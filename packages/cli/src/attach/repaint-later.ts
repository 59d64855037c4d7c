import { isProtocolError } from "@pohunek/protocol/wire";
import type { Mailbox } from "../mailbox.ts";
import type { AttachEvent } from "./attach-event.ts";
import type { AttachLink } from "./attach-link.ts";
import type { ControlClient } from "./control-client.ts";

interface RepaintPorts {
  readonly control: ControlClient;
  readonly events: Mailbox<AttachEvent>;
  /** The link that is shown now. */
  readonly current: () => AttachLink | undefined;
}

const STEP_MS = 500;

/** Asks for the whole picture of a link as soon as the daemon answers, while it is shown. */
export async function repaintLater(link: AttachLink, { control, events, current }: RepaintPorts): Promise<void> {
  while (current() === link) {
    try {
      const client = await control.open();
      await client.call("daemon.health");
      events.put({ type: "repaint", link });
      return;
    } catch (error) {
      if (!isProtocolError(error)) throw error;
      await Bun.sleep(STEP_MS);
    }
  }
}
