import type { Queryable } from "#core/db/Database.ts";
import { UNCONFIRMED_KINDS } from "#plugins/market-index/confirm/sql/findUnconfirmed.ts";
import type { EventPlace } from "#plugins/market-index/confirm/Unconfirmed.ts";
import { DOUBTED_PER_PART_MAX } from "#plugins/market-index/merge/limits.ts";

export type Doubted = EventPlace & { transaction: Buffer };

/**
 * Returns events of a kind whose block left the chain before a time, up to a block that the chain
 * has since read far beyond; by `unconfirmed_left`.
 */
export async function findDoubted(
	db: Queryable,
	doubt: { chainId: number; kind: "sale" | "mint"; before: Date; toBlock: number },
): Promise<Doubted[]> {
	const rows = await db.query<Omit<Doubted, "occurredAtMs"> & { occurredAt: Date }>(
		`select block_number as "blockNumber", log_index as "logIndex", sub_index as "subIndex",
			occurred_at as "occurredAt", transaction_hash as transaction
		from market_index.unconfirmed
		where chain_id = $1 and left_chain_at <= $2 and kind = $3 and block_number <= $4
		order by left_chain_at limit $5`,
		[
			doubt.chainId,
			doubt.before,
			UNCONFIRMED_KINDS.indexOf(doubt.kind),
			doubt.toBlock,
			DOUBTED_PER_PART_MAX,
		],
	);
	return rows.map(({ occurredAt, ...place }) => ({ ...place, occurredAtMs: occurredAt.getTime() }));
}
