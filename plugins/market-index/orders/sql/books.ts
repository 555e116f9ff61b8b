// Claims order books that are due, and computes the figures of their asks.

import type { Address } from "#core/chain/Hex.ts";
import type { Queryable, SqlValue, Tx } from "#core/db/Database.ts";

type BookFigures = {
	/** Distinct tokens that any account may buy. */
	listed: number;
	best: { unitNative: string; price: number; symbol: string } | null;
};

export type DueBook = {
	id: number;
	chainId: number;
	address: Address;
	providerSlug: string;
	/** True: the provider's slug spans several contracts, so its figures are not this one's. */
	isShared: boolean;
	/** The stored progress of an interrupted reading. */
	progress: unknown;
	/** Says whether plans are about to buy from the book; then its listings alone are read. */
	isUrgent: boolean;
};

export type LockedBook = {
	id: number;
	chainId: number;
	address: Address;
	generation: number;
	ordersAt: Date | null;
	floorNative: string | null;
	listedCount: number | null;
};

/** Computes the figures of a collection's stored asks; by `market_order_book`. */
export async function bookFigures(
	tx: Tx,
	collectionId: number,
	nowMs: number,
): Promise<BookFigures> {
	const rows = await tx.query<{
		listed: number;
		unitNative: string | null;
		price: number | null;
		symbol: string | null;
	}>(
		`with ask as (
			select token_id, unit_native, symbol, decimals, div(total_raw, quantity) as unit_raw
			from market_index.market_order
			where collection_id = $1 and is_active and kind = 0 and not is_private
				and (starts_at is null or starts_at <= $2) and (expires_at is null or expires_at > $2)
		), best as (
			select * from ask where unit_native > 0 order by unit_native limit 1
		)
		select (select count(distinct token_id)::int4 from ask) as listed,
			best.unit_native as "unitNative", best.symbol,
			(best.unit_raw / power(10::numeric, best.decimals))::float8 as price
		from (select) as one left join best on true`,
		[collectionId, new Date(nowMs)],
	);
	const [row] = rows;
	const { listed = 0, unitNative = null, price = null, symbol = null } = row ?? {};
	const isKnown = unitNative !== null && price !== null && symbol !== null;
	return { listed, best: isKnown ? { unitNative, price, symbol } : null };
}

/**
 * Claims the watched book that has waited longest, urgent ones first, for `claimMs`. By
 * `sync_watched`.
 */
export async function claimBook(
	db: Queryable,
	claim: { chainIds: readonly number[]; nowMs: number; claimMs: number; isUrgentOnly?: boolean },
): Promise<DueBook | null> {
	const { chainIds, nowMs, claimMs, isUrgentOnly = false } = claim;
	const rows = await db.query<DueBook>(
		`update market_index.sync as s set orders_due_at = $3
		from market_index.collection as c
		where c.id = s.collection_id and s.collection_id = (
			select due.collection_id from market_index.sync as due
			join market_index.collection as looked on looked.id = due.collection_id
			where due.watched_until > $2 and due.orders_due_at <= $2
				and due.provider_slug is not null and due.chain_id = any($1::int8[])
				and not looked.excluded and (not $4 or due.urgent_until > $2)
			order by coalesce(due.urgent_until > $2, false) desc, due.orders_due_at limit 1
			for update of due skip locked
		)
		returning c.id, c.chain_id as "chainId", '0x' || encode(c.address, 'hex') as address,
			s.provider_slug as "providerSlug",
			coalesce(jsonb_path_query_array(c.provider_row, '$.contracts[1]') <> '[]', false)
				as "isShared", s.book_progress as progress,
			coalesce(s.urgent_until > $2, false) as "isUrgent"`,
		[chainIds, new Date(nowMs), new Date(nowMs + claimMs), isUrgentOnly],
	);
	return rows[0] ?? null;
}

/**
 * Locks the book of a provider's slug on a chain, by `sync_slug`, or that of a collection, against
 * syncs of it until the transaction ends, and returns it. The book's row is locked first and the
 * collection's after it, as in `writeBook`.
 */
export async function lockBook(
	tx: Tx,
	named: { chainId: number; slug: string } | { collectionId: number },
): Promise<LockedBook | null> {
	const [where, values]: [string, SqlValue[]] =
		"slug" in named
			? ["chain_id = $1 and provider_slug = $2", [named.chainId, named.slug]]
			: ["collection_id = $1", [named.collectionId]];
	const rows = await tx.query<{ id: number; generation: number; ordersAt: Date | null }>(
		`select collection_id as id, generation, orders_at as "ordersAt" from market_index.sync
		where ${where} for update`,
		values,
	);
	const [book] = rows;
	if (!book) return null;
	const [collection] = await tx.query<{
		chainId: number;
		address: Address;
		floorNative: string | null;
		listedCount: number | null;
	}>(
		`select chain_id as "chainId", '0x' || encode(address, 'hex') as address,
			floor_native as "floorNative", listed_count as "listedCount"
		from market_index.collection where id = $1 and not excluded`,
		[book.id],
	);
	return collection ? { ...book, ...collection } : null;
}
