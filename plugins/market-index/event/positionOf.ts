import { PROVIDER_LOG_INDEX } from "#plugins/market-index/event/providerPlace.ts";

const LOG_INDEX_MAX = 2 ** 20 - 1;
const SUB_INDEX_MAX = 2 ** 10 - 1;

/**
 * Returns an event's place in its chain as one sortable number that fits an `int8`: block, log,
 * item.
 *
 * A chain may grow to 2^33 blocks. Items of one log above 1,023 share their place; only the choice
 * between two sales of one log depends on it. An event that only a provider told has an arbitrary
 * but fixed place in its block.
 */
export function positionOf(event: {
	blockNumber: number;
	logIndex: number;
	subIndex: number;
}): bigint {
	const block = BigInt(event.blockNumber) << 30n;
	if (event.logIndex >= PROVIDER_LOG_INDEX) {
		return block | BigInt(event.logIndex - PROVIDER_LOG_INDEX);
	}
	const log = Math.min(event.logIndex, LOG_INDEX_MAX);
	const sub = Math.min(event.subIndex, SUB_INDEX_MAX);
	return block | BigInt(log * (SUB_INDEX_MAX + 1) + sub);
}
