import type { AttachMode } from "@pohunek/protocol/wire";
import type { ViewSteeringOptions } from "./view-steering.ts";
import { ViewSteering } from "./view-steering.ts";

type Receiver = (bytes: Uint8Array) => void;

/** Where what the user types goes: to the session, or to the picture of it. A reader's keys are for nobody. */
export class InputDelivery {
  readonly #mode: AttachMode;
  readonly #steering: ViewSteering;

  constructor(mode: AttachMode, options: ViewSteeringOptions) {
    this.#mode = mode;
    this.#steering = new ViewSteering(options);
  }

  /** The receiver of what is typed while this attach lasts. */
  begin(link: { send(bytes: Uint8Array): void }): Receiver {
    switch (this.#mode) {
      case "interactive":
        return (bytes) => link.send(bytes);
      case "read_only":
        return () => undefined;
      case "view":
        this.#steering.begin();
        return (bytes) => this.#steering.type(bytes);
    }
  }
}
