/**
 * The bootstrap environment of a worker beside what its program is given; nothing of the daemon's reaches it.
 *
 * BUN_GC_TIMER_DISABLE: the runtime's collector timer wakes a process every second, which measured 3 ms of processor time
 * a second, so a third of a core for a hundred idle workers. Without it memory is collected when it is allocated.
 */
export const WORKER_ENVIRONMENT: Readonly<Record<string, string>> = { BUN_GC_TIMER_DISABLE: "1" };
