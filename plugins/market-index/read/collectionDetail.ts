// Reads one collection, or one of its tokens, for its page and for single figures.

import type { Chain } from "#core/chain/Chain.ts";
import { ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { Queryable } from "#core/db/Database.ts";
import type { Scanner } from "#plugins/chain-scanner/contract.ts";
import {
	displayNative,
	displayTime,
	displayUsd,
	type ProviderHealth,
} from "#plugins/market-index/display.ts";
import { isStandIn } from "#plugins/market-index/event/MarketEvent.ts";
import { marketFault } from "#plugins/market-index/faults.ts";
import { type FigureContext, readChainSpans } from "#plugins/market-index/figures/coverage.ts";
import { salesFigure, volumeFigure } from "#plugins/market-index/figures/figures.ts";
import type { FoundCollection } from "#plugins/market-index/model.ts";
import {
	type IndexReads,
	type RouteContext,
	readCoverageEnd,
	resolveChain,
} from "#plugins/market-index/read/context.ts";
import { renderCollection, renderMint } from "#plugins/market-index/render/collection.ts";
import { renderTraits } from "#plugins/market-index/render/event.ts";
import {
	renderFigure,
	renderFigures,
	renderProviderStats,
} from "#plugins/market-index/render/figures.ts";
import {
	type FigureWindow,
	nativeTotal,
	WINDOW_MS,
	windowOf,
} from "#plugins/market-index/rollup/windows.ts";
import type { CollectionDetail } from "#plugins/market-index/schemas/collection.ts";
import type { ShownFigure } from "#plugins/market-index/schemas/figures.ts";
import type { Token } from "#plugins/market-index/schemas/tokens.ts";
import { readProviderStats } from "#plugins/market-index/sql/collectionNames.ts";
import {
	type CollectionColumn,
	type CollectionRow,
	readCollection,
} from "#plugins/market-index/sql/collectionRows.ts";
import { readSaleImage } from "#plugins/market-index/sql/readEvents.ts";
import { wasSpokenOf } from "#plugins/market-index/tokens/sql/dueTokens.ts";
import { readToken } from "#plugins/market-index/tokens/sql/tokens.ts";
import type { Prices } from "#plugins/prices/contract.ts";

export type ReadColumns<Column extends CollectionColumn> = {
	chain: Chain;
	row: Pick<CollectionRow, Column>;
	context: FigureContext;
};

type DetailContext = {
	core: IndexReads;
	scanner: Pick<Scanner, "progress">;
	prices: Pick<Prices, "toNative" | "ethUsd">;
	providerHealth: () => ProviderHealth;
};

const WINDOW_COLUMNS = [
	"name",
	"windowSales",
	"windowPriced",
	"windowVolume",
	"eventsFrom",
	"eventsUntil",
	"walkFrom",
	"walkUntil",
	"providerSalesDay",
	"providerStatsAt",
] as const;

const WEI_PER_ETH = 1e18;

/** Returns one collection as its own page shows it. */
export async function readCollectionDetail(
	{ core, scanner, prices, providerHealth }: DetailContext,
	found: FoundCollection,
): Promise<CollectionDetail> {
	const chain = resolveChain(core, found.chain);
	const nowMs = core.clock.nowMs();
	const [coverageEnd, spans] = await Promise.all([
		readCoverageEnd(scanner, chain.id),
		readChainSpans(scanner, chain.id),
	]);
	const row = await readCollection(core.db, found.id, { nowMs });
	if (!row) throw marketFault.notFound();
	const context = { nowMs, window: "24h", spans } as const;
	const priceWei = mintPriceWei(chain, row, prices);
	return {
		market: renderCollection(chain, row, {
			nowMs,
			spans,
			coverageEnd,
			prices,
			provider: providerHealth(),
		}),
		figures: renderFigures(row, context, priceWei),
		mint: renderMint(row, context, priceWei),
		lastSale: await lastSaleOf({ db: core.db, prices }, row),
		stats: { data: renderProviderStats(await readProviderStats(core.db, found.id)) },
		observedAt: new Date(nowMs).toISOString(),
	};
}

/**
 * Returns one token as it is known here. A token without an event, an owner or a row is not found.
 */
export async function readAsset(
	core: Pick<IndexReads, "db">,
	found: FoundCollection,
	tokenId: bigint,
): Promise<Token> {
	const row = await readToken(core.db, found.id, tokenId);
	const isKnown = row?.isKnown || (await wasSpokenOf(core.db, found.id, tokenId));
	if (!row || !isKnown) throw marketFault.notFound({ public: `There is no token ${tokenId}.` });
	return {
		chain: found.chain,
		contractAddress: found.address,
		tokenId: row.tokenId,
		standard: row.standard,
		name: row.name,
		description: row.description,
		imageUrl: row.imageUrl,
		animationUrl: row.animationUrl,
		traits: renderTraits(row.traits),
		rank: row.rank,
		tokenUri: row.tokenUri,
		tokenUriHash: row.tokenUriHash,
		source: row.source,
		fetchedAt: displayTime(row.fetchedAt),
		owner: row.owner,
		collection: {
			slug: row.slug,
			name: row.collectionName,
			imageUrl: row.collectionImageUrl,
			revealState: row.revealState,
		},
	};
}

/**
 * Returns the price of a unit at a collection's last mint, in wei of ETH at the rate of its time;
 * null where unknown. Some mints that only the provider reports are paid in a token.
 */
export function mintPriceWei(
	chain: Chain,
	row: Pick<
		CollectionRow,
		"lastMintTotalRaw" | "lastMintQuantity" | "lastMintCurrency" | "lastMintAt"
	>,
	prices: Pick<Prices, "toNative">,
): string | null {
	const { lastMintTotalRaw, lastMintQuantity, lastMintAt } = row;
	if (lastMintTotalRaw === null || lastMintQuantity === null || !lastMintAt) return null;
	const paid = {
		currency: row.lastMintCurrency ?? ZERO_ADDRESS,
		totalRaw: BigInt(lastMintTotalRaw),
		occurredAtMs: lastMintAt.getTime(),
	};
	const total = nativeTotal(chain, paid, prices);
	return total === null ? null : (total / BigInt(lastMintQuantity)).toString();
}

/** Reads one collection's volume and sales of any window, with its name. */
export async function readWindowFigures(
	deps: Pick<RouteContext, "core" | "scanner">,
	found: FoundCollection,
	window: FigureWindow,
): Promise<{ name: string | null; volume: ShownFigure; sales: ShownFigure }> {
	const { row, context } = await readColumns(deps, found, { columns: WINDOW_COLUMNS, window });
	return {
		name: row.name,
		volume: renderFigure(volumeFigure(row, context), { unit: "ETH", wei: row.windowVolume }),
		sales: renderFigure(salesFigure(row, context), { unit: "count" }),
	};
}

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

/**
 * Returns a function that converts wei of ETH to USD of one moment; null where the rate, or the
 * amount, is unknown.
 */
export function usdAt(prices: Pick<Prices, "ethUsd">, atMs: number) {
	const rate = prices.ethUsd(atMs);
	return (wei: string | null): number | null =>
		wei === null || rate === null ? null : (Number(wei) / WEI_PER_ETH) * rate;
}

async function lastSaleOf(
	{ db, prices }: { db: Queryable; prices: Pick<Prices, "ethUsd"> },
	row: CollectionRow,
): Promise<CollectionDetail["lastSale"]> {
	const { lastSaleTokenId, lastSaleAt, lastSaleTransaction } = row;
	if (!lastSaleTokenId || !lastSaleAt || !lastSaleTransaction) return null;
	return {
		tokenId: lastSaleTokenId,
		occurredAt: lastSaleAt.toISOString(),
		priceNative: displayNative(row.lastSaleUnitNative),
		priceUsd: displayUsd(
			row.lastSaleUnitNative === null ? null : BigInt(row.lastSaleUnitNative),
			prices.ethUsd(lastSaleAt.getTime()),
		),
		transactionHash: isStandIn(lastSaleTransaction) ? null : lastSaleTransaction,
		imageUrl: await readSaleImage(db, row),
	};
}
