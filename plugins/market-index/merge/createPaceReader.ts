import type { Clock } from "#core/clock/Clock.ts";
import type { Queryable } from "#core/db/Database.ts";
import type { Scanner } from "#plugins/chain-scanner/contract.ts";
import type { ChainPace } from "#plugins/market-index/merge/estimateBlock.ts";
import { PACE_AGE_MAX_MS } from "#plugins/market-index/merge/limits.ts";
import { firstChainEvent } from "#plugins/market-index/merge/sql/firstChainEvent.ts";

/** For a chain of which nothing was read yet. Slow, so that no estimate is beyond later blocks. */
const BLOCK_MS_DEFAULT = 12_000;

/** A shorter time is no measure. */
const MEASURED_LEAST_MS = 60_000;

/** Makes a reader of a chain's head and block time, as the index itself has seen them. */
export function createPaceReader(options: {
	db: Queryable;
	clock: Clock;
	scanner: Pick<Scanner, "progress">;
}): (chainId: number) => Promise<ChainPace> {
	const { db, clock, scanner } = options;
	const kept = new Map<number, { measuredAtMs: number; blockMs: number }>();
	return async (chainId) => {
		const { headBlock } = await scanner.progress(chainId, "sale");
		const atMs = clock.nowMs();
		const known = kept.get(chainId);
		if (known && atMs - known.measuredAtMs < PACE_AGE_MAX_MS) {
			return { headBlock, atMs, blockMs: known.blockMs };
		}
		const first = await firstChainEvent(db, chainId);
		const ageMs = first ? atMs - first.occurredAtMs : 0;
		const blocks = (headBlock ?? 0) - (first?.blockNumber ?? 0);
		const isMeasured = ageMs >= MEASURED_LEAST_MS && blocks > 0;
		const blockMs = isMeasured ? ageMs / blocks : BLOCK_MS_DEFAULT;
		if (isMeasured) kept.set(chainId, { measuredAtMs: atMs, blockMs });
		return { headBlock, atMs, blockMs };
	};
}
