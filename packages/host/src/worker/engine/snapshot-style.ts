import type { ByteReader } from "./byte-reader.ts";
import type { Color, Hyperlink, Style } from "./terminal-state.ts";

export const STYLE_BYTES = 16;
const COLOR_BYTES = 4;
const FLAGS_OFFSET = 3 * COLOR_BYTES;
const DEFAULT_COLOR: Color = { kind: "default" };
export const DEFAULT_STYLE: Style = {
  foreground: DEFAULT_COLOR,
  background: DEFAULT_COLOR,
  underlineColor: DEFAULT_COLOR,
  flags: 0,
};

export function readStyle(reader: ByteReader): Style {
  return parseStyle(reader.take(STYLE_BYTES), 0);
}

export function parseStyle(bytes: Uint8Array, offset: number): Style {
  return {
    foreground: parseColor(bytes, offset),
    background: parseColor(bytes, offset + COLOR_BYTES),
    underlineColor: parseColor(bytes, offset + 2 * COLOR_BYTES),
    flags: bytes[offset + FLAGS_OFFSET]! | (bytes[offset + FLAGS_OFFSET + 1]! << 8),
  };
}

function parseColor(bytes: Uint8Array, offset: number): Color {
  const kind = bytes[offset];
  if (kind === 1) return { kind: "palette", index: bytes[offset + 1]! };
  if (kind === 2) return { kind: "rgb", red: bytes[offset + 1]!, green: bytes[offset + 2]!, blue: bytes[offset + 3]! };
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
