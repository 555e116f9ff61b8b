/**
 * Where time comes from. Everything that asks for the time takes one, so a test can hold it still.
 */
export type Clock = { nowMs(): number };

/** The machine's clock. The only place in the product that reads it. */
export const systemClock: Clock = { nowMs: () => Date.now() };
