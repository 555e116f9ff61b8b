/** The rollup tiers, finest first. A tier's bucket is a whole number of the finer one's. */
export const TIERS = [
	{ table: "rollup_minute", ms: 60_000 },
	{ table: "rollup_hour", ms: 3_600_000 },
	{ table: "rollup_day", ms: 86_400_000 },
] as const;

export type Tier = (typeof TIERS)[number];

/**
 * Returns the start of the bucket with a time. Buckets begin at whole multiples since 1970, UTC.
 */
export function bucketOf(atMs: number, bucketMs: number): number {
	return Math.floor(atMs / bucketMs) * bucketMs;
}
