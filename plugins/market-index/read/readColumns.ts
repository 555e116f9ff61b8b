import type { Chain } from "#core/chain/Chain.ts";
import type { FoundCollection } from "#plugins/market-index/contract.ts";
import { marketFault } from "#plugins/market-index/faults.ts";
import type { FigureContext } from "#plugins/market-index/figures/FigureContext.ts";
import { readChainSpans } from "#plugins/market-index/figures/readChainSpans.ts";
import type { RouteContext } from "#plugins/market-index/read/RouteContext.ts";
import { resolveChain } from "#plugins/market-index/read/resolveChain.ts";
import type { FigureWindow } from "#plugins/market-index/rollup/Figure.ts";
import { WINDOW_MS, windowOf } from "#plugins/market-index/rollup/windowOf.ts";
import type { CollectionColumn, CollectionRow } from "#plugins/market-index/sql/collectionRows.ts";
import { readCollection } from "#plugins/market-index/sql/readCollection.ts";

export type ReadColumns<Column extends CollectionColumn> = {
	chain: Chain;
	row: Pick<CollectionRow, Column>;
	context: FigureContext;
};

/**
 * Reads some columns of one collection, and what its figures are computed from. Tables without a
 * wanted column are not joined: a floor costs less than half of a whole page (measured).
 */
export async function readColumns<Column extends CollectionColumn>(
	{ core, scanner }: Pick<RouteContext, "core" | "scanner">,
	found: FoundCollection,
	{ columns, window = "24h" }: { columns: readonly Column[]; window?: FigureWindow },
): Promise<ReadColumns<Column>> {
	const nowMs = core.clock.nowMs();
	const chain = resolveChain(core, found.chain);
	// Read before the row, so that it never claims more than the row contains.
	const spans = await readChainSpans(scanner, chain.id);
	const row = await readCollection(core.db, found.id, {
		nowMs,
		window: windowOf(nowMs, WINDOW_MS[window]),
		columns,
	});
	if (!row) throw marketFault.notFound();
	return { chain, row, context: { nowMs, window, spans } };
}
