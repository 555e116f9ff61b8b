import type { FillOptions } from "#test/bench/fill/FillOptions.ts";

/** Two in the morning: a window of 24 hours then has the most hours and minutes to add up. */
const SHAPE = {
	collections: 2_500,
	marketed: 1_000,
	days: 180,
	nowMs: Date.parse("2026-11-20T02:07:30.500Z"),
	chainIds: [1, 8_453],
} satisfies Omit<FillOptions, "events" | "recentEvents">;

/** The two sizes that reads are compared on. */
export const indexSizes = {
	small: { ...SHAPE, events: 100_000, recentEvents: 10_000 },
	large: { ...SHAPE, events: 10_000_000, recentEvents: 1_000_000 },
} satisfies Record<string, FillOptions>;
