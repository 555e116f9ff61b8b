// Renders collections for clients: details, rows of lists, mints, coverage, freshness.

import type { Chain } from "#core/chain/Chain.ts";
import type { LaneProgress } from "#plugins/chain-scanner/contract.ts";
import {
	displayProvider,
	displayTime,
	nativeCurrency,
	type ProviderHealth,
} from "#plugins/market-index/display.ts";
import {
	type ChainSpans,
	type FigureContext,
	renderCoverage,
} from "#plugins/market-index/figures/coverage.ts";
import {
	floorChangeFigure,
	floorFigure,
	listedFigure,
	mintedFigure,
	mintPriceFigure,
	mintsFigure,
	ownersFigure,
	rawOf,
	salesFigure,
	supplyFigure,
	volumeFigure,
} from "#plugins/market-index/figures/figures.ts";
import {
	type Lifecycle,
	lifecycleOf,
	presentedLifecycle,
} from "#plugins/market-index/lifecycle.ts";
import { renderTrade } from "#plugins/market-index/render/event.ts";
import type { Figure } from "#plugins/market-index/rollup/windows.ts";
import type {
	Collection,
	CollectionDetail,
	RawCollection,
	ShownPartial,
} from "#plugins/market-index/schemas/collection.ts";
import type { DiscoverRow, Freshness, TrendingRow } from "#plugins/market-index/schemas/lists.ts";
import type { CollectionColumn, CollectionRow } from "#plugins/market-index/sql/collectionRows.ts";
import type { DiscoverColumns, TrendingColumns } from "#plugins/market-index/sql/listColumns.ts";
import type { Prices } from "#plugins/prices/contract.ts";

type LifecycleColumns = Pick<
	CollectionRow,
	"mintedUnits" | "maxSupply" | "firstMintAt" | "lastMintAt" | "sales" | "isTraded" | "isAnnounced"
>;

/** The columns from which a collection's lifecycle is computed. */
export const LIFECYCLE_COLUMNS = [
	...(["mintedUnits", "maxSupply", "firstMintAt", "lastMintAt"] as const),
	...(["sales", "isTraded", "isAnnounced"] as const),
] satisfies CollectionColumn[];

/** The columns of minted and existing units. */
export const SUPPLY_COLUMNS = [
	...(["mintedSupply", "isWalked", "totalSupply", "supplySource", "supplyAt"] as const),
] satisfies CollectionColumn[];

/** The columns of the state of a mint. */
export const MINT_COLUMNS = [
	...LIFECYCLE_COLUMNS,
	...SUPPLY_COLUMNS,
	...(["eventsFrom", "eventsUntil", "walkFrom", "walkUntil", "mints1h"] as const),
	...(["lastMintTotalRaw", "lastMintQuantity", "lastMintCurrency"] as const),
] satisfies CollectionColumn[];

/**
 * Renders a collection read over 24 hours; `coverageEnd` is until when its chain's lanes have
 * everything.
 */
export function renderCollection(
	chain: Chain,
	row: CollectionRow,
	options: {
		nowMs: number;
		spans: ChainSpans;
		coverageEnd: Date | null;
		prices: Pick<Prices, "ethUsd">;
		provider: ProviderHealth;
	},
): Collection {
	const context = { nowMs: options.nowMs, window: "24h", spans: options.spans } as const;
	const floorNative = floorFigure(row);
	const volume24hNative = volumeFigure(row, context);
	const sales24h = salesFigure(row, context);
	const ownersCount = ownersFigure(row, context);
	const floor = floorNative.value;
	const volume = volume24hNative.value;
	const owners = ownersCount.value;
	const rate = options.prices.ethUsd(options.nowMs);
	return {
		slug: row.slug,
		chain: chain.slug,
		contractAddress: row.address,
		name: row.name,
		imageUrl: row.imageUrl,
		syncStatus: row.syncStatus,
		lastProviderAt: displayTime(row.lastProviderAt),
		floorNative: floor,
		volume24hNative: volume,
		volumeRaw: rawOf(volume24hNative, row.windowVolume),
		volumeCurrency: nativeCurrency,
		ownersCount: owners,
		listedCount: listedFigure(row).value,
		totalSupply: supplyFigure(row, context).value,
		sales24h: sales24h.value,
		lifecycle: lifecycleOfRow(row, options.nowMs).presented,
		revealState: row.revealState,
		revealCheckedAt: displayTime(row.revealCheckedAt),
		revealedAt: displayTime(row.revealedAt),
		lastMintAt: displayTime(row.lastMintAt),
		floor,
		floor_price: floor,
		floor_price_usd: floorUsd(row, rate),
		volume_24h: volume,
		owners,
		coverage: renderPartial({ volume24hNative, sales24h, ownersCount }),
		sync: { status: row.syncStatus, coverageEnd: displayTime(heldUntil(row, options)) },
		...displayProvider(options.provider, { ...row, nowMs: options.nowMs }),
	};
}

/**
 * Returns the floor in dollars. Without a present rate it is the last known value: never erased.
 */
export function floorUsd(
	row: Pick<CollectionRow, "floorNative" | "floorAt" | "floorUsd">,
	rate: number | null,
): number | null {
	const floor = floorFigure(row).value;
	if (floor === null) return null;
	return rate === null ? row.floorUsd : floor * rate;
}

/** Renders a collection read over 24 hours as a row of discover. */
export function renderDiscoverRow(
	chain: Chain,
	row: DiscoverColumns,
	{ nowMs, spans }: { nowMs: number; spans: ChainSpans },
): DiscoverRow {
	const context = { nowMs, window: "24h", spans } as const;
	const { fields, volume, sales } = renderTrade(chain, row, context);
	const mints1h = mintsFigure(row, context);
	return {
		...fields,
		volume24hNative: volume.value,
		sales24h: sales.value,
		floorChange24hPercent: floorChangeFigure(row).value,
		mints1h: mints1h.value,
		lastMintAt: displayTime(row.lastMintAt),
		revealState: row.revealState,
		lifecycle: lifecycleOfRow(row, nowMs).presented,
		coverage: renderPartial({ volume24hNative: volume, sales24h: sales, mints1h }),
	};
}

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

/**
 * Renders the state of a collection's mint; `priceWei` is the price of the last one, in wei of
 * ETH.
 */
export function renderMint(
	row: Pick<CollectionRow, (typeof MINT_COLUMNS)[number]>,
	context: FigureContext,
	priceWei: string | null,
): CollectionDetail["mint"] {
	const mints1h = mintsFigure(row, context);
	const mintedSupply = mintedFigure(row, context);
	return {
		active: lifecycleOfRow(row, context.nowMs).stored === "minting" && row.mints1h > 0,
		priceNative: mintPriceFigure(priceWei, row).value,
		mints1h: mints1h.value,
		mintedSupply: mintedSupply.value,
		coverage: renderPartial({ mints1h, mintedSupply }),
	};
}

/** Renders a row of our own in the provider's form, for clients that read `data.collections`. */
export function renderRawCollection(collection: Collection): RawCollection {
	return {
		collection: collection.slug,
		name: collection.name,
		image_url: collection.imageUrl,
		contracts: [{ address: collection.contractAddress, chain: collection.chain }],
		source: "svc_index",
	};
}

/** Renders a collection read over the window that trending was asked for. */
export function renderTrendingRow(
	chain: Chain,
	row: TrendingColumns,
	context: FigureContext,
): TrendingRow {
	const lifecycle = lifecycleOfRow(row, context.nowMs).presented;
	const holders = ownersFigure(row, context);
	const { fields, volume, sales } = renderTrade(chain, row, context);
	return {
		...fields,
		contractAddress: row.address,
		lifecycle,
		soldOut: lifecycle === "minted_out",
		lastMintAt: displayTime(row.lastMintAt),
		holders: holders.value,
		listed: listedFigure(row).value,
		volumeNative: volume.value,
		sales: sales.value,
		coverage: renderPartial({ holders, volumeNative: volume, sales }),
	};
}

/** Returns a collection's present lifecycle: by its facts, and as clients see it. */
export function lifecycleOfRow(
	row: LifecycleColumns,
	nowMs: number,
): { stored: Lifecycle | null; presented: Lifecycle | null } {
	const lastMintAtMs = row.lastMintAt?.getTime() ?? null;
	const stored = lifecycleOf(
		{
			mintedUnits: BigInt(row.mintedUnits),
			maxSupply: row.maxSupply === null ? null : BigInt(row.maxSupply),
			firstMintAtMs: row.firstMintAt?.getTime() ?? null,
			lastMintAtMs,
			sales: row.sales,
			isTraded: row.isTraded,
			isAnnounced: row.isAnnounced,
		},
		nowMs,
	);
	return { stored, presented: presentedLifecycle(stored, lastMintAtMs, nowMs) };
}

/** Returns the coverage of those figures that are numbers and were covered in part. */
export function renderPartial(figures: Readonly<Record<string, Figure>>): ShownPartial {
	const partial: ShownPartial = {};
	for (const [name, { value, coverage }] of Object.entries(figures)) {
		if (value === null || coverage === null || coverage.fraction === 1) continue;
		partial[name] = renderCoverage(coverage);
	}
	return partial;
}

/**
 * Returns until when every event is stored: by the lanes, and by the part of the provider's list
 * that was read. Null where the provider was not asked yet.
 */
function heldUntil(
	{ eventsUntil, lastProviderAt }: CollectionRow,
	{ coverageEnd, provider }: { coverageEnd: Date | null; provider: ProviderHealth },
): Date | null {
	if (coverageEnd === null || !provider.isOn) return coverageEnd;
	if (eventsUntil === null) return lastProviderAt === null ? null : coverageEnd;
	return eventsUntil < coverageEnd ? eventsUntil : coverageEnd;
}
