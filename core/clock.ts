// Provides the time: the machine's clock, and a counter that cannot be set.

/** Returns the time. All code that needs the time takes a clock, so that a test can stop it. */
export type Clock = { nowMs(): number };

/** The machine's clock. The only place in the product that reads it. */
export const systemClock: Clock = { nowMs: () => Date.now() };

/** Returns the milliseconds since the process began; unlike a clock, nobody can set it. */
export const systemCounter = (): number => performance.now();
