import type { Tx } from "#core/db/Database.ts";
import { EVENT_KIND } from "#plugins/market-index/event/eventKind.ts";
import { TOKENS_MAX } from "#plugins/market-index/tokens/limits.ts";
import { lockTokens } from "#plugins/market-index/tokens/sql/lockTokens.ts";

/** The most events that are searched for ids of a collection that is not walked. */
const EVENTS_MAX = 500_000;

/**
 * Adds a row for each token with an owner or an event; returns how many are new. Ids are in order,
 * so that of a collection above the limit the first ones are known.
 *
 * Owners by `owned_span_pkey` and `owned_units_pkey`, where the contract is walked; events by
 * `event_by_collection`, one branch a kind.
 */
export async function learnTokens(
	tx: Tx,
	{ collectionId, at }: { collectionId: number; at: Date },
): Promise<number> {
	await lockTokens(tx, collectionId);
	const known = await tx.query<{ room: number }>(
		`select greatest($2 - count(*), 0)::int4 as room from market_index.token
		where collection_id = $1`,
		[collectionId, TOKENS_MAX],
	);
	const room = known[0]?.room ?? 0;
	if (room === 0) return 0;
	return tx.execute(
		`insert into market_index.token (collection_id, token_id, next_at)
		select $1, id, $2
		from (
			select id
			from market_index.ownership as o
			join market_index.owned_span as s on s.set_id = o.set_id
			cross join lateral generate_series(
				s.from_id, least(s.to_id, s.from_id + $4::int8 - 1)
			) as id
			where o.collection_id = $1 and s.owner <> '\\x0000000000000000000000000000000000000000'
			union
			select u.token_id
			from market_index.ownership as o
			join market_index.owned_units as u on u.set_id = o.set_id
			where o.collection_id = $1 and u.units > 0
			union
			select token_id
			from (
				select e.token_id
				from unnest($6::int2[]) as kinds (kind)
				cross join lateral (
					select token_id from market_index.event
					where collection_id = $1 and kind = kinds.kind limit $5
				) as e
			) as seen
		) as ids (id)
		where not exists (
			select from market_index.token where collection_id = $1 and token_id = ids.id
		)
		order by id limit $3
		on conflict do nothing`,
		[collectionId, at, room, TOKENS_MAX, EVENTS_MAX, Object.values(EVENT_KIND)],
	);
}
