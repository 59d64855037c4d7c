/** The descriptor of an open socket: Bun gives it, though its types do not say so. Undefined once the socket is closed. */
export function descriptorOf(socket: object): number | undefined {
  const { fd } = socket as { fd?: number };
  return fd !== undefined && fd >= 0 ? fd : undefined;
}
