/** What `timeout(1)` returns, for a wait that ended without what it waited for. */
export const EXIT_TIMEOUT = 124;
