import { bytesOf } from "#core/chain/bytesOf.ts";
import type { Address } from "#core/chain/Hex.ts";
import type { Queryable } from "#core/db/Database.ts";
import type { UnpricedEvent } from "#plugins/market-index/reprice/UnpricedEvent.ts";

export type UnpricedQuery = {
	chainId: number;
	currency: Address;
	fromMs: number;
	toMs: number;
	/** The last one of the part before. */
	after: UnpricedEvent | null;
	limit: number;
};

/**
 * Returns events paid in a currency without a price, newest first, by the index `event_unpriced`.
 */
export async function readUnpriced(db: Queryable, query: UnpricedQuery): Promise<UnpricedEvent[]> {
	const { chainId, currency, fromMs, toMs, after, limit } = query;
	const rows = await db.query<
		Omit<UnpricedEvent, "occurredAtMs" | "totalRaw"> & { occurredAt: Date; totalRaw: string }
	>(
		`select occurred_at as "occurredAt", block_number as "blockNumber", log_index as "logIndex",
			sub_index as "subIndex", total_raw as "totalRaw"
		from market_index.event
		where chain_id = $1 and currency = $2 and total_native is null and total_raw is not null
			and occurred_at >= $3 and occurred_at <= $4
			and (occurred_at, block_number, log_index, sub_index) < ($4, $5::int8, $6::int4, $7::int4)
		order by occurred_at desc, block_number desc, log_index desc, sub_index desc
		limit $8`,
		[
			chainId,
			bytesOf(currency),
			new Date(fromMs),
			new Date(after?.occurredAtMs ?? toMs),
			after?.blockNumber ?? Number.MAX_SAFE_INTEGER,
			after?.logIndex ?? 0,
			after?.subIndex ?? 0,
			limit,
		],
	);
	return rows.map(({ occurredAt, totalRaw, ...place }) => ({
		...place,
		occurredAtMs: occurredAt.getTime(),
		totalRaw: BigInt(totalRaw),
	}));
}
