// Reads events: of one collection, the latest mints, and the image of a last sale.

import { bytesOf } from "#core/chain/Hex.ts";
import { type Binder, createBinder, type Queryable } from "#core/db/Database.ts";
import {
	EVENT_KIND,
	type EventPlace,
	type StoredEvent,
} from "#plugins/market-index/event/MarketEvent.ts";
import { shownPayload } from "#plugins/market-index/payload.ts";
import type { CollectionRow } from "#plugins/market-index/sql/collectionRows.ts";
import { EVENT_COLUMNS, type EventColumns, eventOf } from "#plugins/market-index/sql/events.ts";
import type { TokenTrait } from "#plugins/market-index/tokens/model.ts";
import { readTokenFacts, type TokenFacts } from "#plugins/market-index/tokens/sql/tokens.ts";

export type ActivityQuery = {
	collectionId: number;
	kinds: readonly StoredEvent["kind"][];
	/** Leaves out events that count in no figure. */
	acceptedOnly: boolean;
	/** Leaves out older events. */
	since: Date | null;
	/** Leaves out events of that time and later ones; left out: none. */
	until?: Date | null | undefined;
	after: EventPlace | null;
	limit: number;
};

/** Holds the time for which the provider's events of a collection are stored. */
export type ProviderEvents = Pick<
	CollectionRow,
	"eventsFrom" | "eventsUntil" | "walkFrom" | "walkUntil"
>;

type LatestMint = {
	chainId: number;
	event: StoredEvent;
	collection: { slug: string; name: string | null; imageUrl: string | null };
	/** The token's present metadata; null where it was not read. */
	token: Pick<TokenFacts, "imageUrl" | "traits">;
};

/** The order of every list of events. */
export const NEWEST_FIRST = "occurred_at desc, block_number desc, log_index desc, sub_index desc";

/** Limits the sales of a collection that are searched for one token. */
const TOKEN_SALES_SEARCHED = 2_000;

/** Says that none of the provider's events are stored. */
export const NO_PROVIDER_EVENTS: ProviderEvents = {
	eventsFrom: null,
	eventsUntil: null,
	walkFrom: null,
	walkUntil: null,
};

const LATEST_FIRST =
	"last_mint_hour desc nulls last, last_mint_at desc, last_mint_position desc, id";

/**
 * Returns a collection's events, newest first.
 *
 * One branch a kind, each in the order of `event_by_collection` (collection, kind, time) and cut at
 * the limit; the time bounds are repeated outside the row comparison because only they let whole
 * partitions be skipped.
 */
export async function readActivity(db: Queryable, query: ActivityQuery): Promise<StoredEvent[]> {
	const { text, values } = activityStatement(query);
	const rows = await db.query<EventColumns>(text, values);
	return rows.map(eventOf);
}

/** Returns the statement, apart from its caller so that a test can check its plan. */
export function activityStatement(query: ActivityQuery) {
	const binder = createBinder();
	const text = `select ${EVENT_COLUMNS}
		from (${newestOfKinds(binder, query)}) as e
		join market_index.collection as c on c.id = e.collection_id
		order by e.occurred_at desc, e.block_number desc, e.log_index desc, e.sub_index desc
		limit ${binder.bind(query.limit, "int8")}`;
	return { text, values: binder.values };
}

/**
 * Returns SQL for the newest events of each kind, `limit` of each: all columns of `event`, in no
 * order. `more`: further conditions.
 */
export function newestOfKinds(
	binder: Binder,
	query: ActivityQuery,
	more: readonly string[] = [],
): string {
	const limit = binder.bind(query.limit, "int8");
	const conditions = [`collection_id = ${binder.bind(query.collectionId, "int4")}`, ...more];
	if (query.acceptedOnly) conditions.push("accepted");
	if (query.since) conditions.push(`occurred_at >= ${binder.bind(query.since, "timestamptz")}`);
	if (query.until) conditions.push(`occurred_at < ${binder.bind(query.until, "timestamptz")}`);
	if (query.after) {
		const { occurredAtMs, blockNumber, logIndex, subIndex } = query.after;
		const at = binder.bind(new Date(occurredAtMs), "timestamptz");
		const block = binder.bind(blockNumber, "int8");
		const place = `${block}, ${binder.bind(logIndex, "int4")}, ${binder.bind(subIndex, "int4")}`;
		conditions.push(
			`occurred_at <= ${at}`,
			`(occurred_at, block_number, log_index, sub_index) < (${at}, ${place})`,
		);
	}
	const branches = query.kinds.map((kind) => {
		const ofKind = `kind = ${binder.bind(EVENT_KIND[kind], "int2")}`;
		return `(select * from market_index.event where ${ofKind} and ${conditions.join(" and ")}
			order by ${NEWEST_FIRST} limit ${limit})`;
	});
	return branches.join(" union all ");
}

/**
 * Finds the last accepted sale of a token among the newest sales of its collection, by
 * `event_by_collection` (collection, kind, time). `searchedFrom`: the oldest that was looked at,
 * where there are more.
 */
export async function findTokenSale(
	db: Queryable,
	{ collectionId, tokenId }: { collectionId: number; tokenId: string },
): Promise<{ sale: StoredEvent | null; searchedFrom: Date | null }> {
	const values = [collectionId, EVENT_KIND.sale, TOKEN_SALES_SEARCHED];
	const newest = `select occurred_at, block_number, log_index, sub_index, token_id
			from market_index.event
			where collection_id = $1 and kind = $2 and accepted
			order by ${NEWEST_FIRST} limit $3`;
	const [reach] = await db.query<{ found: Date | null; at: Date | null; count: number }>(
		`select max(occurred_at) filter (where token_id = $4::numeric) as found,
			min(occurred_at) as at, count(*)::int4 as count
		from (${newest}) as newest`,
		[...values, tokenId],
	);
	const searchedFrom = reach && reach.count >= TOKEN_SALES_SEARCHED ? reach.at : null;
	if (!reach?.found) return { sale: null, searchedFrom };
	const rows = await db.query<EventColumns>(
		`select ${EVENT_COLUMNS}
		from market_index.event as e join market_index.collection as c on c.id = e.collection_id
		where e.collection_id = $1 and e.kind = $2 and e.accepted and e.occurred_at = $3
			and e.token_id = $4::numeric
		order by e.block_number desc, e.log_index desc, e.sub_index desc limit 1`,
		[collectionId, EVENT_KIND.sale, reach.found, tokenId],
	);
	const [sale] = rows.map(eventOf);
	return { sale: sale ?? null, searchedFrom };
}

/** The last sale of a token, as lists of tokens show it. */
export type LastSale = Pick<StoredEvent, "transactionHash"> & {
	tokenId: string;
	occurredAt: Date;
	/** The price of one unit in wei of ETH; null: not known. */
	unitNative: string | null;
};

/**
 * Finds the last accepted sale of each of these tokens among the newest sales of their collection,
 * by `event_by_collection` (collection, kind, time). `searchedFrom`: as of `findTokenSale`.
 */
export async function findLastSales(
	db: Queryable,
	{ collectionId, tokenIds }: { collectionId: number; tokenIds: readonly string[] },
): Promise<{ sales: ReadonlyMap<string, LastSale>; searchedFrom: Date | null }> {
	if (tokenIds.length === 0) return { sales: new Map(), searchedFrom: null };
	const rows = await db.query<(LastSale | { tokenId: null }) & { count: number; oldest: Date }>(
		`with newest as materialized (
			select occurred_at, block_number, log_index, sub_index, token_id, transaction_hash,
				div(total_native, quantity) as unit_native
			from market_index.event
			where collection_id = $1 and kind = $2 and accepted
			order by ${NEWEST_FIRST} limit $3
		)
		select reach.*, sold.*
		from (select count(*)::int4 as count, min(occurred_at) as oldest from newest) as reach
		left join lateral (
			select distinct on (token_id) token_id as "tokenId", occurred_at as "occurredAt",
				'0x' || encode(transaction_hash, 'hex') as "transactionHash",
				unit_native as "unitNative"
			from newest where token_id = any($4::numeric[])
			order by token_id, ${NEWEST_FIRST}
		) as sold on true`,
		[collectionId, EVENT_KIND.sale, TOKEN_SALES_SEARCHED, tokenIds],
	);
	const [first] = rows;
	return {
		sales: new Map(rows.flatMap((row) => (row.tokenId === null ? [] : [[row.tokenId, row]]))),
		searchedFrom: first && first.count >= TOKEN_SALES_SEARCHED ? first.oldest : null,
	};
}

/**
 * Reads the time for which the provider's events of a collection are stored; by the primary key of
 * `sync`.
 */
export async function readEventSpans(db: Queryable, collectionId: number): Promise<ProviderEvents> {
	const rows = await db.query<ProviderEvents>(
		`select events_from as "eventsFrom", events_until as "eventsUntil",
			walk_reached as "walkFrom", walk_until as "walkUntil"
		from market_index.sync where collection_id = $1`,
		[collectionId],
	);
	return rows[0] ?? NO_PROVIDER_EVENTS;
}

/**
 * Returns the newest accepted mints on these chains.
 *
 * The newest N mints are all from the N collections that minted last, so those are found first, by
 * the index `collection_last_mint` of each chain, and then each one's newest by
 * `event_by_collection` (collection, kind, time), not further back than the last mint of the N-th.
 * There is no index of events by chain and time: it would slow every insert.
 */
export async function readLatestMints(
	db: Queryable,
	options: { chainIds: readonly number[]; limit: number },
): Promise<LatestMint[]> {
	const rows = await db.query<
		EventColumns & {
			slug: string;
			name: string | null;
			collectionImageUrl: string | null;
			tokenImageUrl: string | null;
			tokenTraits: TokenTrait[] | null;
		}
	>(
		`with latest as materialized (
			select minted.* from unnest($1::int8[]) as chain (id)
			cross join lateral (
				select id, address, slug, name, image_url, last_mint_hour, last_mint_at,
					last_mint_position
				from market_index.collection
				where chain_id = chain.id and not excluded and last_mint_at is not null
				order by ${LATEST_FIRST} limit $2
			) as minted
			order by ${LATEST_FIRST} limit $2
		), horizon as (
			select case when count(*) < $2 then '-infinity' else min(last_mint_at) end as at
			from latest
		), shown as (
			select ${EVENT_COLUMNS}, c.id as "collectionId", c.slug, c.name,
				c.image_url as "collectionImageUrl"
			from latest as c
			cross join lateral (
				select * from market_index.event
				where collection_id = c.id and kind = $3 and accepted
					and occurred_at >= (select at from horizon)
				order by occurred_at desc, block_number desc, log_index desc, sub_index desc
				limit $2
			) as e
			order by e.occurred_at desc, e.block_number desc, e.log_index desc, e.sub_index desc
			limit $2
		)
		select shown.*, t.image_url as "tokenImageUrl", t.traits as "tokenTraits"
		from shown left join market_index.token as t
			on t.collection_id = shown."collectionId" and t.token_id = shown."tokenId"
		order by shown."occurredAt" desc, shown."blockNumber" desc, shown."logIndex" desc,
			shown."subIndex" desc`,
		[options.chainIds, options.limit, EVENT_KIND.mint],
	);
	return rows.map(({ slug, name, collectionImageUrl, tokenImageUrl, tokenTraits, ...event }) => ({
		chainId: event.chainId,
		event: eventOf(event),
		collection: { slug, name, imageUrl: collectionImageUrl },
		token: { imageUrl: tokenImageUrl, traits: tokenTraits },
	}));
}

/**
 * Returns the image that came with a collection's last sale, else its token's own. By
 * `event_by_collection` (collection, kind, time), whose time is that of the sale's block, and by
 * `token_pkey`.
 */
export async function readSaleImage(
	db: Queryable,
	row: Pick<CollectionRow, "id" | "lastSaleAt" | "lastSaleTokenId" | "lastSaleTransaction">,
): Promise<string | null> {
	if (row.lastSaleAt === null || row.lastSaleTransaction === null) return null;
	const rows = await db.query<Pick<StoredEvent, "payload">>(
		`select payload from market_index.event
		where collection_id = $1 and kind = $2 and occurred_at = $3 and transaction_hash = $4
			and token_id = $5::numeric and accepted and payload is not null
		order by log_index desc, sub_index desc limit 1`,
		[
			row.id,
			EVENT_KIND.sale,
			row.lastSaleAt,
			bytesOf(row.lastSaleTransaction),
			row.lastSaleTokenId,
		],
	);
	const sold = shownPayload(rows[0]?.payload ?? null).imageUrl;
	if (sold !== null || row.lastSaleTokenId === null) return sold;
	const facts = await readTokenFacts(db, row.id, [row.lastSaleTokenId]);
	return facts.get(row.lastSaleTokenId)?.imageUrl ?? null;
}
