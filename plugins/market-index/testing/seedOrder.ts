import { type Address, type Hex, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { Database } from "#core/db/Database.ts";
import { HOUR_MS } from "#core/time.ts";
import { ORDER_KINDS, type OrderKind } from "#plugins/market-index/event/MarketEvent.ts";
import { contractOf, ETH, NOW_MS } from "#plugins/market-index/testing/marketFixture.ts";

export type SeededOrder = {
	collectionId: number;
	orderHash: Hex;
	kind: OrderKind;
	isActive: boolean;
	tokenId: bigint | null;
	maker: Address;
	quantity: bigint;
	currency: Address | null;
	symbol: string;
	totalRaw: bigint;
	unitNative: bigint | null;
	isPrivate: boolean;
	protocolData: unknown;
	startsAtMs: number | null;
	expiresAtMs: number | null;
};

let seeded = 0;

/** Notes that the listings, and unless said otherwise the offers, were read to their end at NOW. */
export async function markBookRead(
	db: Database,
	collectionId: number,
	{ offers = true }: { offers?: boolean } = {},
): Promise<void> {
	await db.execute(
		`insert into market_index.sync (collection_id, chain_id, orders_at, offers_at)
		select id, chain_id, $2, $3 from market_index.collection where id = $1
		on conflict (collection_id) do update
			set orders_at = excluded.orders_at, offers_at = excluded.offers_at`,
		[collectionId, new Date(NOW_MS), offers ? new Date(NOW_MS) : null],
	);
}

/** Puts an order into the book as the sync does; unless said otherwise a listing for 1 ETH. */
export async function seedOrder(
	db: Database,
	given: Partial<SeededOrder> & { collectionId: number },
): Promise<SeededOrder> {
	const number = ++seeded;
	const order: SeededOrder = {
		orderHash: `0x${number.toString(16).padStart(64, "0")}`,
		kind: "listing",
		isActive: true,
		tokenId: BigInt(number),
		maker: contractOf(0xaaaa),
		quantity: 1n,
		currency: ZERO_ADDRESS,
		symbol: "ETH",
		totalRaw: ETH,
		unitNative: given.totalRaw ?? ETH,
		isPrivate: false,
		protocolData: null,
		startsAtMs: NOW_MS - HOUR_MS,
		expiresAtMs: NOW_MS + HOUR_MS,
		...given,
	};
	const bytes = (hex: string | null) => (hex === null ? null : Buffer.from(hex.slice(2), "hex"));
	const at = (ms: number | null) => (ms === null ? null : new Date(ms));
	await db.execute(
		`insert into market_index.market_order
			(collection_id, order_hash, kind, is_active, generation, token_id, maker, quantity,
			currency, symbol, decimals, total_raw, unit_native, is_private, protocol_data, starts_at,
			expires_at, seen_at)
		values ($1, $2, $3, $4, 1, $5, $6, $7, $8, $9, 18, $10, $11, $12, $13::jsonb, $14, $15, $16)`,
		[
			order.collectionId,
			bytes(order.orderHash),
			ORDER_KINDS.indexOf(order.kind),
			order.isActive,
			order.tokenId,
			bytes(order.maker),
			order.quantity,
			bytes(order.currency),
			order.symbol,
			order.totalRaw,
			order.unitNative,
			order.isPrivate,
			order.protocolData === null ? null : JSON.stringify(order.protocolData),
			at(order.startsAtMs),
			at(order.expiresAtMs),
			at(NOW_MS),
		],
	);
	return order;
}
