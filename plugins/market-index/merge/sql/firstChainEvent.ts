import type { Queryable } from "#core/db/Database.ts";
import type { Neighbour } from "#plugins/market-index/merge/blockBetween.ts";

/**
 * Returns the lowest block of a chain from which an event was read, with its time. By the unique
 * index (chain, block), skipping what only the provider told of older times.
 */
export async function firstChainEvent(db: Queryable, chainId: number): Promise<Neighbour | null> {
	const rows = await db.query<{ blockNumber: number; occurredAt: Date }>(
		`select block_number as "blockNumber", occurred_at as "occurredAt" from market_index.event
		where chain_id = $1 and onchain_verified order by block_number limit 1`,
		[chainId],
	);
	const [row] = rows;
	return row ? { blockNumber: row.blockNumber, occurredAtMs: row.occurredAt.getTime() } : null;
}
