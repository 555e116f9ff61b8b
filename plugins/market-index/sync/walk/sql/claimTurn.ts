import type { Queryable } from "#core/db/Database.ts";
import {
	FIRST_PAGES_MAX,
	LEVEL_AGAIN_MS,
	LEVEL_AGE_MAX_MS,
	TURN_MS,
	WALK_IDLE_MAX,
} from "#plugins/market-index/sync/limits.ts";
import type { ClaimedTurn } from "#plugins/market-index/sync/walk/ClaimedTurn.ts";
import { isFree } from "#plugins/market-index/sync/walk/sql/isFree.ts";
import { TURN_COLUMNS, type TurnRow, turnOf } from "#plugins/market-index/sync/walk/sql/turnRow.ts";

/**
 * What a turn is for. `first`: a collection whose first day is being read. `refresh`: any other
 * that is due.
 */
export type TurnKind = "first" | "refresh";

export type TurnClaim = {
	kind: TurnKind;
	chainIds: readonly number[];
	nowMs: number;
	/** The least time between turns of a collection without a walk under way. */
	everyMs: number;
};

/**
 * Its place in the order of turns: those without a turn come first. Each index below is of this.
 */
const PLACE = "coalesce(due.lean_at, '-infinity')";

/** The first pages of a first day, which go before everything else. */
const IS_EARLY = `(due.walk_until is null
	or (due.walk_pages < ${FIRST_PAGES_MAX} and due.walk_idle < ${WALK_IDLE_MAX}))`;

/** By `sync_first`. */
const FIRST = headOf(`due.events_until is null and ${IS_EARLY} and ${PLACE} <= $2`);

/** A walk that is under way, by `sync_walking`. */
const WALKING = headOf(`due.walk_until is not null and ${PLACE} <= $2
	and not (due.events_until is null and ${IS_EARLY})`);

/**
 * A collection whose list is covered up to its last turn, by `sync_held`. While the lanes of its
 * chain are level with the head they tell its sales and mints. It is then due only where its last
 * turn was before they became level, and now and then for the rest.
 */
const IS_HELD = "due.events_until is not null and due.walk_until is null";
const HELD = headOf(`${IS_HELD} and ${PLACE} <= case when span.level_from is null then $4
	else least($4, greatest(span.level_from, $5)) end`);

/** A collection with sales that no lane tells, by `sync_foreign`. */
const FOREIGN = headOf(`${IS_HELD} and due.foreign_until is not null and due.foreign_until > $2
	and ${PLACE} <= $4`);

const WHO = { first: FIRST, refresh: `${WALKING} union all ${HELD} union all ${FOREIGN}` } as const;

/**
 * Claims the turn of the collection whose last turn is the longest ago. For each kind of turn and
 * chain only the head of its index is read: collections that are not due cost nothing, however many
 * they are.
 */
export async function claimTurn(db: Queryable, claim: TurnClaim): Promise<ClaimedTurn | null> {
	const { kind, chainIds, nowMs, everyMs } = claim;
	const at = (beforeMs: number) => new Date(nowMs - beforeMs);
	const rows = await db.query<TurnRow>(
		`update market_index.sync as s
		set lean_at = $2, turn = s.turn + 1, turn_until = $3
		from (
			select due.collection_id, due.lean_at, span.level_from
			from (
				select chain.id, level_from from unnest($1::int8[]) as chain (id)
				left join market_index.chain_span on chain_id = chain.id and level_until >= $6
			) as span
			cross join lateral (${WHO[kind]}) as due
			where $4::timestamptz is not null and $5::timestamptz is not null
			order by due.lean_at nulls first, due.collection_id limit 1
		) as taken
		join market_index.collection as c on c.id = taken.collection_id
		where s.collection_id = taken.collection_id
		returning ${TURN_COLUMNS}, taken.lean_at as "leanAt", taken.level_from as "levelFrom"`,
		[chainIds, at(0), at(-TURN_MS), at(everyMs), at(LEVEL_AGAIN_MS), at(LEVEL_AGE_MAX_MS)],
	);
	return rows[0] ? turnOf(rows[0]) : null;
}

/**
 * Returns SQL for the first due collection of one chain, locked; those locked by others are
 * skipped.
 */
function headOf(isDue: string): string {
	return `select collection_id, lean_at from (
		select due.collection_id, due.lean_at from market_index.sync as due
		join market_index.collection as c on c.id = due.collection_id and not c.excluded
		where due.chain_id = span.id and due.provider_slug is not null and ${isDue}
			and ${isFree("due")}
		order by ${PLACE} limit 1 for update of due skip locked
	) as head`;
}
