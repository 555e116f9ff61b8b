import type { BlockTime } from "./blockTimes.ts";

const QUARTER_S = 900;
const CATCH_UP_BLOCKS_MAX = 200;

/**
 * Returns at most 200 blocks for the time in which the world stood still, so that charts have no
 * gap.
 */
export function catchUpTimes(headS: number, nowS: number): BlockTime[] {
	const blocks = Math.min(CATCH_UP_BLOCKS_MAX, Math.floor((nowS - headS) / QUARTER_S));
	const stepS = (nowS - headS) / (blocks + 1);
	return Array.from({ length: Math.max(0, blocks) }, (_, i) => ({
		timeS: Math.floor(headS + stepS * (i + 1)),
		share: { sales: 1, mints: 1 },
	}));
}
