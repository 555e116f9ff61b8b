import type { Hex } from "#core/chain/Hex.ts";
import type { Tx } from "#core/db/Database.ts";

/** The members of an order that may change; its hash fixes all others. */
export type KnownOrder = {
	orderHash: Hex;
	quantity: string;
	totalRaw: string;
	unitNative: string | null;
	isPrivate: boolean;
	hasProtocolData: boolean;
	startsAt: Date | null;
	expiresAt: Date | null;
};

/** Returns the active orders of a collection written since then, by `market_order_book`. */
export function readKnownOrders(
	tx: Tx,
	{ collectionId, since }: { collectionId: number; since: Date },
): Promise<KnownOrder[]> {
	return tx.query<KnownOrder>(
		`select '0x' || encode(order_hash, 'hex') as "orderHash", quantity, total_raw as "totalRaw",
			unit_native as "unitNative", is_private as "isPrivate",
			protocol_data is not null as "hasProtocolData", starts_at as "startsAt",
			expires_at as "expiresAt"
		from market_index.market_order
		where collection_id = $1 and is_active and seen_at > $2`,
		[collectionId, since],
	);
}
