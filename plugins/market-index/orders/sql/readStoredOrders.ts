import { bytesOf } from "#core/chain/bytesOf.ts";
import type { Hex } from "#core/chain/Hex.ts";
import type { Tx } from "#core/db/Database.ts";
import { type BookOrder, ORDER_KINDS } from "#plugins/market-index/event/BookOrder.ts";

/** Returns these orders of a collection as they are stored, by primary key. */
export async function readStoredOrders(
	tx: Tx,
	collectionId: number,
	hashes: readonly Hex[],
): Promise<(BookOrder & { isActive: boolean })[]> {
	const rows = await tx.query<Omit<BookOrder, "kind"> & { kind: number; isActive: boolean }>(
		`select '0x' || encode(order_hash, 'hex') as "orderHash", kind, is_active as "isActive",
			token_id as "tokenId", '0x' || encode(maker, 'hex') as maker, quantity,
			'0x' || encode(currency, 'hex') as currency, symbol, decimals, total_raw as "totalRaw",
			unit_native as "unitNative", '0x' || encode(protocol_address, 'hex') as "protocolAddress",
			criteria, is_private as "isPrivate", starts_at as "startsAt", expires_at as "expiresAt",
			seen_at as "seenAt"
		from market_index.market_order
		where collection_id = $1 and order_hash = any($2::bytea[]) order by order_hash`,
		[collectionId, hashes.map((hash) => bytesOf(hash))],
	);
	return rows.map((row) => ({ ...row, kind: ORDER_KINDS[row.kind] ?? "listing" }));
}
