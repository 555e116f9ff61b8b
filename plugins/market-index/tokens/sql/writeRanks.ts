import type { Tx } from "#core/db/Database.ts";
import { lockTokens } from "#plugins/market-index/tokens/sql/lockTokens.ts";

/** Writes changed ranks and returns how many; a token that is not among them has none. */
export async function writeRanks(
	tx: Tx,
	collectionId: number,
	ranked: readonly { id: string; rank: number; score: number }[],
): Promise<number> {
	await lockTokens(tx, collectionId);
	return tx.execute(
		`update market_index.token as t set rank = g.rank, score = g.score
		from market_index.token as old
		left join unnest($2::numeric[], $3::int4[], $4::float8[]) as g (token_id, rank, score)
			on g.token_id = old.token_id
		where old.collection_id = $1 and t.collection_id = $1 and t.token_id = old.token_id
			and (t.rank, t.score) is distinct from (g.rank, g.score)`,
		[
			collectionId,
			ranked.map(({ id }) => id),
			ranked.map(({ rank }) => rank),
			ranked.map(({ score }) => score),
		],
	);
}
