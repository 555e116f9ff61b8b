import type { Clock } from "#core/clock/Clock.ts";
import type { Tx } from "#core/db/Database.ts";
import type { Scanner } from "#plugins/chain-scanner/contract.ts";
import type { ChainSpans } from "#plugins/market-index/figures/ChainSpans.ts";
import { readChainSpans } from "#plugins/market-index/figures/readChainSpans.ts";

/** How long spans are kept: much shorter than clients take an answer for fresh. */
const SPANS_AGE_MAX_MS = 10_000;

/** Returns the time for which a chain's lanes have everything, for frames. */
export type SpansOf = (tx: Tx, chainId: number) => Promise<ChainSpans>;

/**
 * Makes a memory that keeps for ten seconds what a chain's lanes cover, for frames that are made
 * inside a lane's transaction. It reads on that transaction's connection: while lanes hold every
 * connection, waiting for another one would be a deadlock.
 */
export function createSpanMemory(scanner: Pick<Scanner, "progress">, clock: Clock): SpansOf {
	const kept = new Map<number, { readAtMs: number; spans: ChainSpans }>();
	return async (tx, chainId) => {
		const nowMs = clock.nowMs();
		const known = kept.get(chainId);
		if (known && Math.abs(nowMs - known.readAtMs) < SPANS_AGE_MAX_MS) return known.spans;
		const spans = await readChainSpans(scanner, chainId, tx);
		kept.set(chainId, { readAtMs: nowMs, spans });
		return spans;
	};
}
