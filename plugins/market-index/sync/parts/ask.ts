// Asks the provider for the parts of a full sync, and stores each with its figures.

import type { Tx } from "#core/db/Database.ts";
import { Fault } from "#core/fault.ts";
import {
	decideFloor,
	type FloorReading,
	setFloor,
	statsFloorNative,
} from "#plugins/market-index/floor.ts";
import type { OrderRow } from "#plugins/market-index/orders/OrderRow.ts";
import { readPages } from "#plugins/market-index/orders/readBook.ts";
import {
	PROVIDER_PAGE,
	type SyncContext,
	type SyncedCollection,
} from "#plugins/market-index/pace.ts";
import {
	ASKED_AGAIN_AFTER_MS,
	ASKED_AGAIN_LOOKS_MAX,
	BEST_PAGES_MAX,
	LISTINGS_WAIT_MAX_MS,
} from "#plugins/market-index/sync/bounds.ts";
import type { Ask, ListingPages, SyncParts } from "#plugins/market-index/sync/parts/SyncParts.ts";
import { lockSync, type SyncRow } from "#plugins/market-index/sync/sql/syncs.ts";
import type { Prices } from "#plugins/prices/contract.ts";
import type {
	ProviderCollectionDetail,
	ProviderOrder,
	ProviderPage,
} from "#plugins/provider/contract.ts";

type FoundDetail = {
	slug: string;
	detail: ProviderCollectionDetail;
	/**
	 * True: the slug has other contracts too, so its figures are not this one's: a floor or a count
	 * of owners over three chains is true of none of them.
	 */
	isShared: boolean;
};

type ReadListings = {
	/** The cheapest listings, to the last one where `isWhole`. */
	asks: Ask[];
	isWhole: boolean;
	/** The error that ended the reading early and is worth a retry; null without one. */
	failure: unknown;
};

type ListingsAsk = {
	collection: SyncedCollection;
	slug: string;
	/** The pages that arrived before; null where the reading begins. */
	from: Omit<ListingPages, "atMs"> | null;
	/** Stores what arrived so far, after each page but the last; false ends the reading. */
	keep(pages: Omit<ListingPages, "atMs">): Promise<boolean>;
};

type ListingFigures = Omit<NonNullable<SyncParts["listings"]>, "atMs"> & {
	/** Tokens for sale; null where not every listing was read. */
	listed: number | null;
};

/**
 * A sync, with the time when this worker began it. A worker that begins it again writes a new time.
 */
type StartedSync = { collectionId: number; startedAt: Date };

/** Limits the waits of a page for rate limits; after that other syncs have their turn. */
const WAITS_MAX = 3;

/**
 * Reads a contract's collection from the provider: by the known slug, or by the contract where the
 * slug belongs to another contract now. Null where the provider does not know it.
 */
export async function askDetail(
	context: Pick<SyncContext, "provider" | "wait">,
	collection: SyncedCollection & { providerSlug: string | null },
	{ signal, slugOf }: { signal: AbortSignal; slugOf: () => Promise<string | null> },
): Promise<FoundDetail | null> {
	const call = { purpose: "background", signal } as const;
	const { chainId, address, providerSlug: known } = collection;
	if (known !== null) {
		const detail = await detailBy(known);
		const { contracts = [] } = detail ?? {};
		const fits = contracts.length === 0 || contracts.some(isOurs);
		if (detail && fits) return found(known, detail);
	}
	const slug = await slugOf();
	const detail = slug === null ? null : await detailBy(slug);
	return slug === null || detail === null ? null : found(slug, detail);

	function detailBy(slug: string): Promise<ProviderCollectionDetail | null> {
		return askAgain(context, signal, () => context.provider.collection(slug, call));
	}

	function found(slug: string, detail: ProviderCollectionDetail): FoundDetail {
		return { slug, detail, isShared: detail.contracts.some((other) => !isOurs(other)) };
	}

	function isOurs(contract: { chainId: number; address: string }): boolean {
		return contract.chainId === chainId && contract.address === address;
	}
}

/**
 * Reads the cheapest listings, after the pages that arrived before. Pages are kept when a later one
 * fails: a limit is waited out, and a failed page costs only its own content.
 */
export async function askListings(
	context: Pick<SyncContext, "core" | "provider" | "prices" | "wait">,
	{ collection, slug, from, keep }: ListingsAsk,
	signal: AbortSignal,
): Promise<ReadListings> {
	const { core, provider, prices, wait } = context;
	let failure: unknown = null;
	let isOver = false;
	const nowMs = core.clock.nowMs();
	const asksWith = (rows: Parameters<typeof asksOf>[0]) => [
		...(from?.asks ?? []),
		...asksOf(rows, core.clock.nowMs()),
	];
	const { rows, isWhole } = await readPages(page, {
		...{ collection, pagesMax: BEST_PAGES_MAX, prices, nowMs },
		...(from && { from: { cursor: from.cursor, pages: from.count } }),
		async between({ rows, cursor, pages: count }) {
			if (!(await keep({ count, cursor, asks: asksWith(rows) }))) isOver = true;
		},
	});
	return { asks: asksWith(rows), isWhole, failure };

	async function page(cursor: string | undefined): Promise<ProviderPage<ProviderOrder> | null> {
		for (let waits = 0; !isOver; waits++) {
			try {
				const asked = { purpose: "background", signal, cursor, limit: PROVIDER_PAGE } as const;
				return await askAgain(context, signal, () => provider.bestListings(slug, asked));
			} catch (error) {
				const leftMs = cursor === undefined ? null : limitMs(error);
				const mayWait = leftMs !== null && leftMs <= LISTINGS_WAIT_MAX_MS && waits < WAITS_MAX;
				if (mayWait && !signal.aborted) {
					await wait(leftMs, signal);
					continue;
				}
				if (!isUnreadable(error)) failure = error;
				isOver = true;
			}
		}
		return null;
	}
}

/** Returns the public ones of these listings that have not ended. */
export function asksOf(rows: readonly OrderRow[], nowMs: number): Ask[] {
	const open = rows.filter(
		({ isPrivate, expiresAt }) => !isPrivate && (!expiresAt || expiresAt.getTime() > nowMs),
	);
	return open.map(({ tokenId, unitNative, unitPrice: price, symbol, startsAt, expiresAt }) => {
		const startsAtMs = startsAt?.getTime() ?? null;
		return {
			tokenId,
			unitNative,
			price,
			symbol,
			startsAtMs,
			endsAtMs: expiresAt?.getTime() ?? null,
		};
	});
}

/**
 * Calls the provider, and a second time where it answered before this call, or answers others soon
 * after: then only this call failed. A provider that is away is not called again.
 */
export async function askAgain<Answer>(
	{ provider, wait }: Pick<SyncContext, "provider" | "wait">,
	signal: AbortSignal,
	ask: () => Promise<Answer>,
): Promise<Answer> {
	const answeredBefore = provider.isConnected() === true;
	try {
		return await ask();
	} catch (error) {
		if (!(error instanceof Fault) || error.code !== "provider_unavailable") throw error;
		if (provider.isConnected() === null) throw error;
		for (let looks = 0; looks < ASKED_AGAIN_LOOKS_MAX && !signal.aborted; looks++) {
			await wait(ASKED_AGAIN_AFTER_MS, signal);
			const isThere = answeredBefore || provider.isConnected() === true;
			if (isThere && !signal.aborted) return ask();
		}
		throw error;
	}
}

/**
 * Returns the figures of the cheapest listings: the best ask, when it ends, and how many tokens are
 * for sale.
 */
export function listingFigures(
	listings: readonly Ask[],
	{ isWhole, nowMs }: { isWhole: boolean; nowMs: number },
): ListingFigures {
	const asks = listings.filter((one) => isOpen(one, nowMs));
	const best = bestOf(asks);
	return {
		best,
		isEmpty: isWhole && asks.length === 0,
		bestEndsAtMs: best && endOf(best.unitNative, asks),
		listed: isWhole ? new Set(asks.map(({ tokenId }) => tokenId)).size : null,
	};
}

/** Stores the floor that the parts of a sync give so far. */
export async function storeFloor(
	tx: Tx,
	{ core, prices }: Pick<SyncContext, "core" | "prices">,
	{ row, parts, askedAtMs }: { row: SyncedCollection; parts: SyncParts; askedAtMs: number },
): Promise<void> {
	const chain = core.chains.byId(row.chainId);
	if (!chain) return;
	const nowMs = core.clock.nowMs();
	const reading = floorOfParts(parts, { chainId: row.chainId, prices, nowMs });
	const { outbox } = core;
	await setFloor(tx, { chain, collection: row, reading, outbox, prices, nowMs, askedAtMs });
}

/** Returns the floor, as far as the parts that arrived show it. */
export function floorOfParts(
	{ detail, stats, listings }: SyncParts,
	{
		chainId,
		prices,
		nowMs,
	}: { chainId: number; prices: Pick<Prices, "nativeOfSymbol">; nowMs: number },
): FloorReading {
	const statsFloor = detail?.isShared ? null : (stats?.floor ?? null);
	return decideFloor({
		stats: statsFloor,
		statsNative: statsFloorNative(statsFloor, { chainId, prices, nowMs }),
		best: listings?.best ?? null,
		// An empty book counts only where the stats, which see more markets, do not contradict it.
		isEmptyBook: (stats?.isRead && listings?.isEmpty) ?? false,
	});
}

/**
 * Stores one part of a sync's answers, and the figures made from it, in one short transaction. When
 * a later part fails, the next sync need not read this one again. Returns false, and writes
 * nothing, where another worker has begun this sync again: its answers are newer.
 */
export function storePart(
	{ core }: Pick<SyncContext, "core">,
	{ collectionId, startedAt }: StartedSync,
	parts: SyncParts,
	write: (tx: Tx, row: SyncRow) => Promise<void>,
): Promise<boolean> {
	return core.db.transaction(async (tx) => {
		const row = await lockSync(tx, collectionId);
		if (row?.startedAt?.getTime() !== startedAt.getTime()) return false;
		await write(tx, row);
		await tx.execute("update market_index.sync set parts = $2::jsonb where collection_id = $1", [
			collectionId,
			JSON.stringify(parts),
		]);
		return true;
	});
}

/** Returns how long a limit lasts, in ms; null where the error is none. */
function limitMs(error: unknown): number | null {
	if (!(error instanceof Fault) || error.code !== "rate_limited") return null;
	const ms = error.members["retryAfterMs"];
	return typeof ms === "number" ? Math.max(ms, 0) : null;
}

function isUnreadable(error: unknown): boolean {
	return error instanceof Fault && error.code === "provider_unreadable";
}

function isOpen({ startsAtMs, endsAtMs }: Ask, nowMs: number): boolean {
	return (startsAtMs === null || startsAtMs <= nowMs) && (endsAtMs === null || endsAtMs > nowMs);
}

function bestOf(asks: readonly Ask[]) {
	let best: { unitNative: string; price: number; symbol: string } | null = null;
	for (const { unitNative, price, symbol } of asks) {
		if (unitNative === null || BigInt(unitNative) <= 0n) continue;
		if (!best || BigInt(unitNative) < BigInt(best.unitNative)) best = { unitNative, price, symbol };
	}
	return best;
}

function endOf(bestNative: string, asks: readonly Ask[]): number | null {
	const ends = asks
		.filter(({ unitNative }) => unitNative !== null && BigInt(unitNative) === BigInt(bestNative))
		.map(({ endsAtMs }) => endsAtMs);
	const times = ends.filter((endsAtMs) => endsAtMs !== null);
	return times.length === ends.length ? Math.max(...times) : null;
}
