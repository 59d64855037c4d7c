/** Bun's `with { type: "file" }` gives the path of the file, in the compiled binary that of the embedded copy. */
declare module "*.wasm" {
  const path: string;
  export default path;
}
