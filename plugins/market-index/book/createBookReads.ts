import type { Queryable } from "#core/db/Database.ts";
import type { BookReads, TokenListing } from "#plugins/market-index/book/BookReads.ts";
import {
	KEPT_CURRENT_MS,
	TOKEN_LISTINGS_MAX,
	URGENT_EVERY_MS,
} from "#plugins/market-index/book/limits.ts";
import { normaliseTrait } from "#plugins/market-index/rank/normaliseTrait.ts";
import { TRAIT_VALUES_MAX } from "#plugins/market-index/tokens/limits.ts";

/**
 * Makes the reads of order books together with ranks and traits, for plugins that choose by them.
 */
export function createBookReads(db: Queryable): BookReads {
	return {
		listings: (collectionId, at) => readTokenListings(db, collectionId, at),
		async watch(ids, { at, isUrgent }) {
			const read = new Date(at.getTime() - URGENT_EVERY_MS);
			await db.execute(
				`update market_index.sync set watched_until = greatest(watched_until, $2),
					orders_due_at = case when $3 and (orders_at is null or orders_at < $5)
						then least(orders_due_at, $4) else orders_due_at end
				where collection_id = any($1::int4[]) and provider_slug is not null`,
				[ids, new Date(at.getTime() + KEPT_CURRENT_MS), isUrgent, at, read],
			);
		},
		async traitValues(collectionId) {
			const rows = await db.query<{ type: string; value: string }>(
				`select trait_type as type, value from market_index.trait_count
				where collection_id = $1 limit $2`,
				[collectionId, TRAIT_VALUES_MAX],
			);
			if (rows.length >= TRAIT_VALUES_MAX) return null;
			return rows.map(({ type, value }) => {
				return { type: normaliseTrait(type), value: normaliseTrait(value) };
			});
		},
		async floor(collectionId) {
			const [row] = await db.query<{ native: string | null; at: Date | null }>(
				`select floor_native as native, floor_at as at from market_index.collection
				where id = $1`,
				[collectionId],
			);
			return row?.native ? { native: BigInt(row.native), at: row.at } : null;
		},
		normaliseTrait,
	};
}

type ListingRow = Omit<TokenListing, "quantity" | "totalRaw"> & {
	quantity: string;
	totalRaw: string;
};

/**
 * Returns active listings with their tokens' ranks and traits. By `market_order_token`, each token
 * by its primary key. The rarest come first, so that a limit cuts off the least wanted.
 */
async function readTokenListings(
	db: Queryable,
	collectionId: number,
	at: Date,
): Promise<TokenListing[]> {
	const rows = await db.query<ListingRow>(
		`select o.token_id as "tokenId", t.rank, coalesce(t.traits, '[]') as traits,
			'0x' || encode(o.order_hash, 'hex') as "orderHash",
			'0x' || encode(o.maker, 'hex') as maker, o.quantity,
			'0x' || encode(o.currency, 'hex') as currency, o.symbol, o.total_raw as "totalRaw"
		from market_index.market_order as o
		left join market_index.token as t
			on t.collection_id = o.collection_id and t.token_id = o.token_id
		where o.collection_id = $1 and o.is_active and o.kind = 0 and not o.is_private
			and o.token_id is not null and o.quantity > 0
			and (o.starts_at is null or o.starts_at <= $2)
			and (o.expires_at is null or o.expires_at > $2)
		order by t.rank nulls last, o.total_raw / o.quantity, o.order_hash limit $3`,
		[collectionId, at, TOKEN_LISTINGS_MAX],
	);
	return rows.map(({ quantity, totalRaw, ...row }) => {
		return { ...row, quantity: BigInt(quantity), totalRaw: BigInt(totalRaw) };
	});
}
