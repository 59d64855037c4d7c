/** Time, so that a recording or a test can drive it. */
export interface Clock {
  /** Milliseconds that only rise. */
  now(): number;
  /** Milliseconds since 1970. */
  wallNow(): number;
  after(ms: number, tick: () => void): Disposable;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  wallNow: () => Date.now(),
  after(ms, tick) {
    const timer = setTimeout(tick, ms);
    return { [Symbol.dispose]: () => clearTimeout(timer) };
  },
};
