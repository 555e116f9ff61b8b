import { bytesOf } from "#core/chain/bytesOf.ts";
import type { Hex } from "#core/chain/Hex.ts";
import type { Queryable } from "#core/db/Database.ts";
import {
	type BookOrder,
	ORDER_KINDS,
	type OrderKind,
} from "#plugins/market-index/event/BookOrder.ts";

/** The key of a page's last order. */
export type OrderPlace = { unitNative: string | null; orderHash: Hex };

export type OrdersQuery = {
	collectionId: number;
	kinds: readonly OrderKind[];
	/** Only orders for this token. */
	tokenId: string | null;
	/** `asc` for asks, `desc` for bids: the best one first. Unknown prices come last. */
	order: "asc" | "desc";
	nowMs: number;
	after: OrderPlace | null;
	limit: number;
};

/** Returns orders that can be filled at that moment, the best first. */
export async function readOrders(db: Queryable, query: OrdersQuery): Promise<BookOrder[]> {
	const { collectionId, kinds, tokenId, order, nowMs, after, limit } = query;
	const beyond = order === "asc" ? ">" : "<";
	const rows = await db.query<Omit<BookOrder, "kind"> & { kind: number }>(
		`select '0x' || encode(order_hash, 'hex') as "orderHash", kind, token_id as "tokenId",
			'0x' || encode(maker, 'hex') as maker, quantity,
			'0x' || encode(currency, 'hex') as currency, symbol, decimals, total_raw as "totalRaw",
			unit_native as "unitNative", '0x' || encode(protocol_address, 'hex') as "protocolAddress",
			criteria, is_private as "isPrivate", starts_at as "startsAt", expires_at as "expiresAt",
			seen_at as "seenAt"
		from market_index.market_order
		where collection_id = $1 and is_active and kind = any($2::int2[])
			and ($3::numeric is null or token_id = $3)
			and (starts_at is null or starts_at <= $4) and (expires_at is null or expires_at > $4)
			and ($5::bytea is null
				or ($6::numeric is null and unit_native is null and order_hash > $5)
				or ($6::numeric is not null and (unit_native is null
					or unit_native ${beyond} $6 or (unit_native = $6 and order_hash > $5))))
		order by unit_native ${order} nulls last, order_hash
		limit $7`,
		[
			collectionId,
			kinds.map((kind) => ORDER_KINDS.indexOf(kind)),
			tokenId,
			new Date(nowMs),
			after ? bytesOf(after.orderHash) : null,
			after?.unitNative ?? null,
			limit,
		],
	);
	return rows.map((row) => ({ ...row, kind: ORDER_KINDS[row.kind] ?? "listing" }));
}
