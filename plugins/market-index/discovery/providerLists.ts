// Reads the provider's lists within limits, and fills floor and owners of their rows.

import type { Chain } from "#core/chain/Chain.ts";
import type { Tx } from "#core/db/Database.ts";
import type { Outbox } from "#core/outbox.ts";
import type { Core } from "#core/plugin/Core.ts";
import {
	type ListMode,
	type NamedRow,
	type Unfilled,
	unfilled,
} from "#plugins/market-index/discovery/sql.ts";
import { salesOfDay } from "#plugins/market-index/figures/figures.ts";
import { decideFloor, setFloor, statsFloorNative } from "#plugins/market-index/floor.ts";
import { storablePayload } from "#plugins/market-index/payload.ts";
import { type ListedRow, listedRows } from "#plugins/market-index/register/registerCollections.ts";
import type { Prices } from "#plugins/prices/contract.ts";
import type { Provider, ProviderCallOptions, ProviderStats } from "#plugins/provider/contract.ts";

/** Holds what reading the provider's lists needs. */
export type DiscoveryContext = {
	core: Pick<Core, "db" | "clock" | "log" | "queue" | "outbox" | "chains">;
	/** The chains that routes serve: listed collections on them are registered. */
	answered: readonly Chain[];
	provider: Provider;
	prices: Prices;
	/**
	 * Queues syncs of collections found in lists or by searches: each at most once in five minutes.
	 */
	discovered: (collectionIds: readonly number[]) => Promise<void>;
};

/** Says how often the worker reads the provider's lists. */
export const DISCOVER_EVERY_MS = 60_000;
export const DISCOVER_TIMEOUT_MS = 55_000;

/** Limits the rows of one list; it is also the provider's largest page. */
export const LISTED_MAX = 100;

/** Limits how long a list that the worker read is served. */
export const LIST_KEPT_MS = 900_000;

/** Limits how long a list that was read for one request is served. */
export const ASKED_LIST_KEPT_MS = 45_000;

/** Says after how long the stats of a collection are read again at the earliest. */
export const STATS_KEPT_MS = 180_000;

/** Limit the rows whose floor and owners are filled: of one mode in one tick, and of one page. */
export const FILLED_PER_TICK_MAX = 10;
export const FILLED_PER_PAGE_MAX = 8;

/** Limit how long a page waits for the provider: for a list, and for the figures of its rows. */
export const LIST_TIMEOUT_MS = 5_000;
export const FILL_TIMEOUT_MS = 3_000;

/** Limits how long the provider's answer to a search is kept, for all who ask the same. */
export const ANSWER_KEPT_MS = 30_000;

/** Limits the answers that a process keeps, of 50 hits at most each. */
export const ANSWERS_KEPT_MAX = 500;

/** Limits the pause of searches after a refusal; a shorter wait that the provider names counts. */
export const REFUSED_MAX_MS = 30_000;

/** Limits how long a search waits for the provider. */
export const SEARCH_TIMEOUT_MS = 2_500;

/** Limits the provider's hits in one search; it is also its largest page. */
export const SEARCHED_MAX = 50;

/** Says how often a process queues a collection that searches show, at most. */
export const FOUND_EVERY_MS = 20_000;

/** Limits the collections that a process remembers as queued. */
export const FOUND_MAX = 10_000;

const OWNERS_MAX = 2_147_483_647;

/**
 * Reads floor and owners of the first rows that lack them, at most `limit`, and returns how many
 * were read. Throws what the provider throws; what was learned before that is stored.
 */
export async function fillStats(
	context: Omit<DiscoveryContext, "discovered">,
	rows: readonly NamedRow[],
	options: ProviderCallOptions & { limit: number },
): Promise<number> {
	const { core, provider, prices } = context;
	const slugs = new Map(rows.map(({ id, slug }) => [id, slug]));
	const empty = await unfilled(core.db, {
		collectionIds: [...slugs.keys()],
		askedBefore: new Date(core.clock.nowMs() - STATS_KEPT_MS),
		limit: options.limit,
	});
	const { purpose, signal } = options;
	const asked = empty.map(async (collection) => {
		const slug = slugs.get(collection.id);
		const chain = core.chains.byId(collection.chainId);
		if (slug === undefined || !chain) return;
		const askedAtMs = core.clock.nowMs();
		const stats = await provider.stats(slug, { purpose, signal });
		const storing = { outbox: core.outbox, prices, nowMs: core.clock.nowMs(), askedAtMs };
		await core.db.transaction((tx) => storeStats(tx, storing, { chain, collection, stats }));
	});
	const ends = await Promise.allSettled(asked);
	for (const end of ends) if (end.status === "rejected") throw end.reason;
	return empty.length;
}

/**
 * Stores floor and owners from the provider's stats; a missing figure keeps its old value, and so
 * does one that was learned by a later call.
 */
export async function storeStats(
	tx: Tx,
	context: { outbox: Pick<Outbox, "append">; prices: Prices; nowMs: number; askedAtMs: number },
	{ chain, collection, stats }: { chain: Chain; collection: Unfilled; stats: ProviderStats | null },
): Promise<void> {
	const { prices, nowMs, askedAtMs } = context;
	const owners = stats?.owners ?? 0;
	const raw = stats && storablePayload(stats.raw);
	const stored = await tx.execute(
		`update market_index.collection set
			provider_stats = coalesce($2::jsonb, provider_stats), provider_stats_at = $3,
			provider_owners = coalesce($4, provider_owners),
			provider_owners_at = case when $4::int4 is null then provider_owners_at else $3 end,
			provider_sales_day = case when $2::jsonb is null then provider_sales_day else $6 end
		where id = $1 and not coalesce(provider_stats_at > $5 and provider_stats_at <= $3, false)`,
		[
			collection.id,
			raw && JSON.stringify(raw),
			new Date(nowMs),
			owners > 0 && owners <= OWNERS_MAX ? owners : null,
			new Date(askedAtMs),
			salesOfDay(stats?.raw),
		],
	);
	if (stored === 0 || !stats?.floor) return;
	const reading = decideFloor({
		stats: stats.floor,
		statsNative: statsFloorNative(stats.floor, { chainId: chain.id, prices, nowMs }),
		best: null,
		isEmptyBook: false,
	});
	await setFloor(tx, { ...context, chain, collection, reading });
}

/** Reads the first page of one of the provider's lists about a chain. */
export async function readProviderList(
	provider: Provider,
	{ chainId, mode }: { chainId: number; mode: ListMode },
	options: ProviderCallOptions,
): Promise<ListedRow[]> {
	const asked = { ...options, chainId, limit: LISTED_MAX };
	const read =
		mode === "new"
			? provider.newest(asked)
			: mode === "top"
				? provider.top(asked)
				: provider.trending({ ...asked, timeframe: "one_day" });
	const { items } = await read;
	return listedRows(chainId, items);
}
