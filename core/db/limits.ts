/**
 * A pool closes a connection that was idle for this long. Many jobs run every ten seconds and need
 * several at once: with the driver's default of ten seconds each such burst would open them again,
 * and a new one costs the server some 7 ms of processor time, its first statements included.
 */
export const CONNECTION_IDLE_MS = 300_000;
