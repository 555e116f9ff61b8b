import type { Tx } from "#core/db/Database.ts";
import type { LaneProgress, Scanner } from "#plugins/chain-scanner/contract.ts";
import type { ChainSpans } from "#plugins/market-index/figures/ChainSpans.ts";
import type { Span } from "#plugins/market-index/rollup/Figure.ts";

/**
 * Reads the time for which a chain's lanes have everything. Must be called before the figures are
 * read, so that they never claim more than they contain.
 */
export async function readChainSpans(
	scanner: Pick<Scanner, "progress">,
	chainId: number,
	tx?: Tx,
): Promise<ChainSpans> {
	const [sale, mint, transfer] = await Promise.all([
		scanner.progress(chainId, "sale", tx),
		scanner.progress(chainId, "mint", tx),
		scanner.progress(chainId, "transfer", tx),
	]);
	return {
		sales: spanOf(sale),
		mints: spanOf(mint),
		movesUntilMs: transfer.coveredUntilMs ?? transfer.indexedAtMs,
	};
}

/** Reads the same for several chains, by id. */
export async function readSpansOf(
	scanner: Pick<Scanner, "progress">,
	chains: readonly { id: number }[],
): Promise<ReadonlyMap<number, ChainSpans>> {
	return new Map(
		await Promise.all(
			chains.map(async ({ id }) => [id, await readChainSpans(scanner, id)] as const),
		),
	);
}

function spanOf({ coveredFromMs, coveredUntilMs }: LaneProgress): Span | null {
	if (typeof coveredFromMs !== "number" || typeof coveredUntilMs !== "number") return null;
	return { fromMs: coveredFromMs, untilMs: coveredUntilMs };
}
