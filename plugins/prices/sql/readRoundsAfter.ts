import type { Address } from "#core/chain/Hex.ts";
import type { Queryable } from "#core/db/Database.ts";
import type { Round } from "#plugins/prices/feed/Round.ts";
import type { FeedRef } from "#plugins/prices/sql/FeedRef.ts";

export type ChangedRound = FeedRef & { round: Round; change: number };

/** Returns rounds written after one change, in the order of writing, by its index. */
export async function readRoundsAfter(
	db: Queryable,
	after: { change: number; since: Date; limit: number },
): Promise<ChangedRound[]> {
	const rows = await db.query<{
		feedChainId: number;
		address: Address;
		id: string;
		answer: string;
		updatedAt: Date;
		change: number;
	}>(
		`select chain_id as "feedChainId", '0x' || encode(feed, 'hex') as address, round_id as id,
			answer, updated_at as "updatedAt", change
		from prices.round where change > $1 and updated_at >= $2 order by change limit $3`,
		[after.change, after.since, after.limit],
	);
	return rows.map(({ feedChainId, address, change, id, answer, updatedAt }) => ({
		feedChainId,
		address,
		change,
		round: { id: BigInt(id), answer: BigInt(answer), updatedAtMs: updatedAt.getTime() },
	}));
}
