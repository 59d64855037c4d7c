import type { ByteReader } from "./byte-reader.ts";
import type { Color, Hyperlink, Style } from "./terminal-state.ts";

const DEFAULT_COLOR: Color = { kind: "default" };
export const DEFAULT_STYLE: Style = {
  foreground: DEFAULT_COLOR,
  background: DEFAULT_COLOR,
  underlineColor: DEFAULT_COLOR,
  flags: 0,
};

export function readStyle(reader: ByteReader): Style {
  const [foreground, background, underlineColor] = [readColor(reader), readColor(reader), readColor(reader)];
  const flags = reader.u16();
  reader.skip(2);
  return { foreground, background, underlineColor, flags };
}

function readColor(reader: ByteReader): Color {
  const [kind, first, second, third] = [reader.u8(), reader.u8(), reader.u8(), reader.u8()];
  if (kind === 1) return { kind: "palette", index: first };
  if (kind === 2) return { kind: "rgb", red: first, green: second, blue: third };
  return DEFAULT_COLOR;
}

/** A link record: none, one that the terminal numbered itself, or one that the program named. */
export function readHyperlink(reader: ByteReader): Hyperlink | undefined {
  const kind = reader.u8();
  if (kind === 1) {
    const number = reader.u32();
    return { key: `#${number}`, id: undefined, uri: reader.text(reader.u32()) };
  }
  if (kind === 2) {
    const id = reader.text(reader.u32());
    const uri = reader.text(reader.u32());
    return { key: `${id}\n${uri}`, id, uri };
  }
  return undefined;
}
