import { readFileSync } from "node:fs";

interface GoldenMessages {
  readonly methods: Readonly<Record<string, { readonly params: unknown; readonly result: unknown }>>;
  readonly events: Readonly<Record<string, object>>;
}

/** The golden messages of protocol 3, as a daemon and a client of that release write them. */
export function readGoldenMessages(): GoldenMessages {
  const files = ["host", "sessions", "projects"].map((name) => {
    const url = new URL(`../../packages/protocol/fixtures/v3/${name}.json`, import.meta.url);
    return JSON.parse(readFileSync(url, "utf8")) as GoldenMessages;
  });
  return {
    methods: Object.assign({}, ...files.map((file) => file.methods)) as GoldenMessages["methods"],
    events: Object.assign({}, ...files.map((file) => file.events)) as GoldenMessages["events"],
  };
}
