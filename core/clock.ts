// Where time comes from: the machine's clock, and a counter that nobody sets.

/**
 * Where time comes from. Everything that asks for the time takes one, so a test can hold it still.
 */
export type Clock = { nowMs(): number };

/** The machine's clock. The only place in the product that reads it. */
export const systemClock: Clock = { nowMs: () => Date.now() };

/** Counts milliseconds since the process began; nobody can set it, as they can a clock. */
export const systemCounter = (): number => performance.now();
