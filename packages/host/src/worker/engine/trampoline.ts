/** A JavaScript function that the wasm module is to call through its table: i32 parameters, at most one i32 result. */
export interface TrampolineTarget {
  readonly params: number;
  readonly result: boolean;
  readonly call: (args: readonly [number, number, number, number]) => number | undefined | void;
}

const I32 = 0x7f;
const FUNCTION_TYPE = 0x60;
const MODULE_HEADER = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00];
const SECTION = { type: 1, import: 2, export: 7 } as const;
const FUNCTION_KIND = 0x00;

/**
 * A wasm table takes wasm functions only, so each target goes through a generated module that imports it and exports it
 * again with the signature the caller expects. Returns the table index of each target.
 */
export function linkTrampolines(table: WebAssembly.Table, targets: readonly TrampolineTarget[]): number[] {
  const module = new WebAssembly.Module(assemble(targets));
  const imports = Object.fromEntries(
    targets.map((target, index) => [
      `f${index}`,
      (...args: number[]) => target.call([args[0] ?? 0, args[1] ?? 0, args[2] ?? 0, args[3] ?? 0]),
    ]),
  );
  const { exports } = new WebAssembly.Instance(module, { e: imports });
  const first = table.grow(targets.length);
  return targets.map((_, index) => {
    table.set(first + index, exports[`f${index}`]);
    return first + index;
  });
}

function assemble(targets: readonly TrampolineTarget[]): Uint8Array<ArrayBuffer> {
  const types = targets.flatMap(({ params, result }) => [
    FUNCTION_TYPE,
    params,
    ...Array<number>(params).fill(I32),
    ...(result ? [1, I32] : [0]),
  ]);
  const imports = targets.flatMap((_, index) => [...text("e"), ...text(`f${index}`), FUNCTION_KIND, ...leb(index)]);
  const exports = targets.flatMap((_, index) => [...text(`f${index}`), FUNCTION_KIND, ...leb(index)]);
  const count = leb(targets.length);
  return Uint8Array.from([
    ...MODULE_HEADER,
    ...section(SECTION.type, [...count, ...types]),
    ...section(SECTION.import, [...count, ...imports]),
    ...section(SECTION.export, [...count, ...exports]),
  ]);
}

function section(id: number, body: number[]): number[] {
  return [id, ...leb(body.length), ...body];
}

function text(value: string): number[] {
  return [value.length, ...new TextEncoder().encode(value)];
}

/** Unsigned LEB128. */
function leb(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  do {
    const low = rest & 0x7f;
    rest >>>= 7;
    bytes.push(rest === 0 ? low : low | 0x80);
  } while (rest !== 0);
  return bytes;
}
