/**
 * Where time comes from. Everything that asks for the time takes one, so a test can hold it still.
 */
export type Clock = { nowMs(): number };
