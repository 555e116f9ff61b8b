import { bytesOf } from "#core/chain/bytesOf.ts";
import type { Hex } from "#core/chain/Hex.ts";
import type { Queryable } from "#core/db/Database.ts";
import type { QuotedListing } from "#plugins/market-index/quote/estimateQuote.ts";
import { feeOfOrder } from "#plugins/market-index/quote/feeOfOrder.ts";
import { QUOTE_LISTINGS_MAX } from "#plugins/market-index/quote/limits.ts";

export type FoundListing = QuotedListing & {
	orderHash: Hex;
	tokenId: string | null;
	expiresAt: Date | null;
};

/**
 * Returns listings that any account may fill now, the cheapest first; of one token where one is
 * named.
 */
export async function readQuotedListings(
	db: Queryable,
	query: { collectionId: number; tokenId: string | null; orderHash: Hex | null; nowMs: number },
): Promise<FoundListing[]> {
	const { collectionId, tokenId, orderHash, nowMs } = query;
	const rows = await db.query<{
		orderHash: Hex;
		tokenId: string | null;
		quantity: string;
		totalRaw: string;
		unitNative: string | null;
		currency: string | null;
		symbol: string;
		decimals: number;
		protocolData: unknown;
		expiresAt: Date | null;
	}>(
		`select '0x' || encode(order_hash, 'hex') as "orderHash", token_id as "tokenId", quantity,
			total_raw as "totalRaw", unit_native as "unitNative",
			'0x' || encode(currency, 'hex') as currency, symbol, decimals,
			protocol_data as "protocolData", expires_at as "expiresAt"
		from market_index.market_order
		where collection_id = $1 and is_active and kind = 0 and not is_private
			and ($2::numeric is null or token_id = $2) and ($3::bytea is null or order_hash = $3)
			and (starts_at is null or starts_at <= $4) and (expires_at is null or expires_at > $4)
		order by unit_native nulls last, order_hash limit $5`,
		[
			collectionId,
			tokenId,
			orderHash === null ? null : bytesOf(orderHash),
			new Date(nowMs),
			QUOTE_LISTINGS_MAX,
		],
	);
	return rows.map(({ protocolData, ...row }) => ({
		...row,
		quantity: BigInt(row.quantity),
		totalRaw: BigInt(row.totalRaw),
		unitNative: row.unitNative === null ? null : BigInt(row.unitNative),
		feeRaw: feeOfOrder(protocolData),
	}));
}
