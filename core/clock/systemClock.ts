import type { Clock } from "#core/clock/Clock.ts";

/** The machine's clock. The only place in the product that reads it. */
export const systemClock: Clock = { nowMs: () => Date.now() };
