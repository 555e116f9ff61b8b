import type { Scanner } from "#plugins/chain-scanner/contract.ts";
import type { FoundCollection } from "#plugins/market-index/contract.ts";
import { createEventCursor } from "#plugins/market-index/cursor/eventCursor.ts";
import { marketFault } from "#plugins/market-index/faults.ts";
import { heldBy } from "#plugins/market-index/figures/heldBy.ts";
import { pageCoverage } from "#plugins/market-index/figures/pageCoverage.ts";
import { readChainSpans } from "#plugins/market-index/figures/readChainSpans.ts";
import type { IndexReads } from "#plugins/market-index/read/IndexReads.ts";
import { type EventPage, readEventPage } from "#plugins/market-index/read/readEventPage.ts";
import { resolveChain } from "#plugins/market-index/read/resolveChain.ts";
import { renderSalePoint } from "#plugins/market-index/render/renderSalePoint.ts";
import { renderTiles } from "#plugins/market-index/render/renderTiles.ts";
import { WINDOW_MS, windowOf } from "#plugins/market-index/rollup/windowOf.ts";
import type { ShownPartial } from "#plugins/market-index/schemas/partialSchema.ts";
import type { SalePoint } from "#plugins/market-index/schemas/salePointSchema.ts";
import type { Tile } from "#plugins/market-index/schemas/tileSchema.ts";
import { readCollection } from "#plugins/market-index/sql/readCollection.ts";
import { readTileFigures } from "#plugins/market-index/sql/readTileFigures.ts";
import type { Prices } from "#plugins/prices/contract.ts";

export const SALES_RANGES = ["1h", "24h", "7d", "30d", "all"] as const;

export type SalesQuery = {
	range: (typeof SALES_RANGES)[number];
	cursor: string | undefined;
	limit: number;
};

type SalesContext = {
	core: IndexReads;
	scanner: Pick<Scanner, "progress">;
	prices: Pick<Prices, "ethUsd">;
};

export type Sales = {
	points: SalePoint[];
	tiles: Tile[];
	coverage: ShownPartial;
	page: EventPage["page"];
};

const pages = createEventCursor("sales2");

/** Returns accepted sales of a range, newest first, with the stat strip of the last 24 hours. */
export async function readSales(
	{ core, scanner, prices }: SalesContext,
	found: FoundCollection,
	{ range, cursor, limit }: SalesQuery,
): Promise<Sales> {
	const chain = resolveChain(core, found.chain);
	const nowMs = core.clock.nowMs();
	const spans = await readChainSpans(scanner, chain.id);
	const [{ events, ranks, page, range: reached }, row, sums] = await Promise.all([
		readEventPage({ db: core.db, prices }, chain, {
			collectionId: found.id,
			kinds: ["sale"],
			acceptedOnly: true,
			since: range === "all" ? null : windowOf(nowMs, WINDOW_MS[range]).start,
			cursors: pages.of({ chain: found.chain, address: found.address, range }),
			cursor,
			limit,
			nowMs,
		}),
		readCollection(core.db, found.id, { nowMs }),
		readTileFigures(core.db, found.id, nowMs),
	]);
	if (!row) throw marketFault.notFound();
	const points = events.map((sale) => renderSalePoint(sale, ranks.get(sale.tokenId) ?? null));
	const coverage = pageCoverage(reached, { points: heldBy(row, spans, "sales") });
	return { points, tiles: renderTiles(row, sums, { nowMs, spans }), coverage, page };
}
