import { assert } from "#core/fault/assert.ts";
import type { LaneProgress } from "#plugins/chain-scanner/contract.ts";

/** Ages at which clients turn from green to amber and from amber to red. */
const AGES_MS = [60_000, 300_000];

/**
 * Returns the lane that represents several chains: among those with the worst colour that a client
 * would show, the one most blocks behind. Blocks alone would not do, because a lane that stopped at
 * the head stays at lag 0.
 */
export function mostLagging(lanes: readonly LaneProgress[], nowMs: number): LaneProgress {
	const [worst] = lanes
		.map((lane) => ({ lane, ...lagOf(lane, nowMs) }))
		.sort((a, b) => b.colour - a.colour || b.blocks - a.blocks || b.ageMs - a.ageMs);
	assert(worst, "the service indexes at least one chain");
	return worst.lane;
}

function lagOf({ headBlock, indexedBlock, indexedAtMs }: LaneProgress, nowMs: number) {
	const ageMs = indexedAtMs === null ? Number.MAX_SAFE_INTEGER : nowMs - indexedAtMs;
	const known = headBlock !== null && indexedBlock !== null;
	return {
		ageMs,
		colour: AGES_MS.filter((limitMs) => ageMs >= limitMs).length,
		blocks: known ? headBlock - indexedBlock : Number.MAX_SAFE_INTEGER,
	};
}
