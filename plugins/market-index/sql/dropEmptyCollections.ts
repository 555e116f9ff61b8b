import type { Tx } from "#core/db/Database.ts";
import { lockTokens } from "#plugins/market-index/tokens/sql/lockTokens.ts";

/** Tables with rows of a collection, which would stay behind without it. */
const KEPT_BESIDE = [
	"former_slug",
	"token",
	"trait_count",
	"market_order",
	"floor_snapshot",
	"unconfirmed",
	"recipients",
] as const;

/**
 * Removes those of these collections without any source left: their events left the chain, and no
 * provider knows them. Returns the removed ids. What was learned of their tokens, names and prices
 * goes with them; their owners are deleted by the keeper of owners.
 */
export async function dropEmptyCollections(tx: Tx, ids: readonly number[]): Promise<Set<number>> {
	if (ids.length === 0) return new Set();
	const empty = await tx.query<{ id: number }>(
		`select id from market_index.collection as c
		where id = any($1::int4[]) and mints = 0 and sales = 0 and last_provider_at is null
			and not excluded
			and not exists (select from market_index.event as e where e.collection_id = c.id)
			and not exists (
				select from market_index.sync as s
				where s.collection_id = c.id and s.provider_slug is not null
			)
		order by id for update`,
		[ids],
	);
	if (empty.length === 0) return new Set();
	for (const { id } of empty) await lockTokens(tx, id);
	const cleared = KEPT_BESIDE.map(
		(table) => `${table}_gone as (
			delete from market_index.${table} where collection_id = any($1::int4[])
		)`,
	);
	const rows = await tx.query<{ id: number }>(
		`with ${cleared.join(", ")}
		delete from market_index.collection where id = any($1::int4[]) returning id`,
		[empty.map(({ id }) => id)],
	);
	return new Set(rows.map(({ id }) => id));
}
