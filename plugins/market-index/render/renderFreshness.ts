import type { Chain } from "#core/chain/Chain.ts";
import type { LaneProgress } from "#plugins/chain-scanner/contract.ts";
import { displayTime } from "#plugins/market-index/display/displayTime.ts";
import type { Freshness } from "#plugins/market-index/schemas/freshnessSchema.ts";

/** Renders the sale lane's lag for clients. An unknown number is null and not 0. */
export function renderFreshness(
	chain: Chain,
	progress: LaneProgress,
	options: { nowMs: number; listRefreshedAt: string | null },
): Freshness {
	const { headBlock, indexedBlock, indexedAtMs } = progress;
	const known = headBlock !== null && indexedBlock !== null;
	return {
		chain: chain.slug,
		headBlock,
		indexedBlock,
		indexedAt: displayTime(indexedAtMs === null ? null : new Date(indexedAtMs)),
		// The head that was read last may be older than the block that was indexed last.
		lagBlocks: known ? Math.max(0, headBlock - indexedBlock) : null,
		listRefreshedAt: options.listRefreshedAt,
		servedAt: new Date(options.nowMs).toISOString(),
	};
}
