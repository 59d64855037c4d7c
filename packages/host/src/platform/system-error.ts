/** A failed system call, or a facility that this operating system does not offer (`code` "unsupported"). */
export class SystemError extends Error {
  /** Symbolic errno as ENOENT, or "unsupported". */
  readonly code: string;
  readonly syscall: string;

  constructor(code: string, syscall: string) {
    super(`${syscall}: ${code}`);
    this.name = "SystemError";
    this.code = code;
    this.syscall = syscall;
  }
}

export function isSystemError(cause: unknown, code?: string): cause is SystemError {
  return cause instanceof SystemError && (code === undefined || cause.code === code);
}
