// Claims turns (the right to read one page of one collection) and gives them back.

import type { Queryable } from "#core/db/Database.ts";
import {
	BACKLOG_AFTER_MS,
	FIRST_PAGES_MAX,
	LEVEL_AGAIN_MS,
	LEVEL_AGE_MAX_MS,
	LEVEL_BREAK_MS,
	TURN_MS,
	TURN_REST_MAX_MS,
	WALK_IDLE_MAX,
} from "#plugins/market-index/sync/bounds.ts";
import type { ClaimedTurn } from "#plugins/market-index/sync/walk/nextStep.ts";
import type { ProviderEventType } from "#plugins/provider/contract.ts";

type TurnRow = Omit<ClaimedTurn, "newestTypes" | "walk" | "backwards"> & {
	newestTypes: ProviderEventType[] | null;
	hole: Date | null;
	baseAt: Date | null;
	from: Date | null;
	until: Date | null;
	reached: Date | null;
	cursor: string | null;
	types: ProviderEventType[] | null;
	idle: number;
};

/**
 * Names the purpose of a turn. `first`: a collection whose first day is being read. `refresh`: any
 * other that is due.
 */
export type TurnKind = "first" | "refresh";

type TurnClaim = {
	kind: TurnKind;
	chainIds: readonly number[];
	nowMs: number;
	/** The least time between turns of a collection without a walk under way. */
	everyMs: number;
};

/**
 * Lists the columns that a statement returns when it claims a turn; `s` is the sync, `c` its
 * collection.
 */
const TURN_COLUMNS = `c.id, c.chain_id as "chainId",
	'0x' || encode(c.address, 'hex') as address, s.provider_slug as "providerSlug", s.turn,
	s.events_from as "eventsFrom", s.events_until as "eventsUntil",
	s.events_newest as "newestAt", s.events_newest_types as "newestTypes",
	s.walk_failures as failures, s.walk_hole as hole, s.walk_base as "baseAt", s.walk_from as "from",
	s.walk_until as "until", s.walk_reached as reached, s.walk_cursor as cursor,
	s.walk_types as types, s.walk_pages as pages, s.walk_idle as idle`;

/** Orders collections by their last turn, those without one first. Each index below is of this. */
const DUE_PLACE = "coalesce(due.lean_at, '-infinity')";

/** The first pages of a first day, which go before everything else. */
const IS_EARLY = `(due.walk_until is null
	or (due.walk_pages < ${FIRST_PAGES_MAX} and due.walk_idle < ${WALK_IDLE_MAX}))`;

/** Selects collections whose first day is due, by `sync_first`. */
const FIRST = headOf(`due.events_until is null and ${IS_EARLY} and ${DUE_PLACE} <= $2`);

/** A walk that is under way, by `sync_walking`. */
const WALKING = headOf(`due.walk_until is not null and ${DUE_PLACE} <= $2
	and not (due.events_until is null and ${IS_EARLY})`);

/**
 * Selects collections whose list is covered up to their last turn, by `sync_held`. While the lanes
 * of its chain are level with the head they read its sales and mints. It is then due only where its
 * last turn was before they became level, and now and then for the rest.
 */
const IS_HELD = "due.events_until is not null and due.walk_until is null";
const HELD = headOf(`${IS_HELD} and ${DUE_PLACE} <= case when span.level_from is null then $4
	else least($4, greatest(span.level_from, $5)) end`);

/** Selects collections with sales that no lane reads, by `sync_foreign`. */
const FOREIGN = headOf(`${IS_HELD} and due.foreign_until is not null and due.foreign_until > $2
	and ${DUE_PLACE} <= $4`);

/** Selects the collections that are due for each kind of turn. */
const DUE_BY_KIND = {
	first: FIRST,
	refresh: `${WALKING} union all ${HELD} union all ${FOREIGN}`,
} as const;

/** The conditions of the indexes `sync_first`, `sync_walking` and `sync_held`. */
const INDEXED = [
	"events_until is null",
	"walk_until is not null",
	"events_until is not null and walk_until is null",
] as const;

/** Orders collections by their last turn in a statement without the alias `due`. */
const PLACE = "coalesce(lean_at, '-infinity')";

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
			cross join lateral (${DUE_BY_KIND[kind]}) as due
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
 * Claims the turn of one collection. Null where another worker has it, where it rests after a page
 * that did not arrive, or where its slug is not known.
 */
export async function claimOwnTurn(
	db: Queryable,
	{ collectionId, nowMs }: { collectionId: number; nowMs: number },
): Promise<ClaimedTurn | null> {
	const rows = await db.query<TurnRow>(
		`update market_index.sync as s
		set lean_at = $2, turn = s.turn + 1, turn_until = $3
		from (
			select collection_id, lean_at from market_index.sync as mine
			where collection_id = $1 and provider_slug is not null and ${isFree("mine")}
				and (lean_at is null or lean_at <= $2
					or lean_at > $2::timestamptz + interval '${TURN_REST_MAX_MS} ms')
			for update
		) as taken
		join market_index.collection as c on c.id = taken.collection_id and not c.excluded
		where s.collection_id = taken.collection_id
		returning ${TURN_COLUMNS}, taken.lean_at as "leanAt", null::timestamptz as "levelFrom"`,
		[collectionId, new Date(nowMs), new Date(nowMs + TURN_MS)],
	);
	return rows[0] ? turnOf(rows[0]) : null;
}

/**
 * Ends a turn without a result. Without `restUntil` the turn does not count: the collection goes
 * first next time, as before. With it the walk rests until then. `failures`: turns in a row without
 * a result.
 */
export async function giveTurnBack(
	db: Queryable,
	given: {
		id: number;
		turn: number;
		leanAt: Date | null;
		restUntil: Date | null;
		failures: number;
	},
): Promise<void> {
	const { id, turn, leanAt, restUntil, failures } = given;
	await db.execute(
		`update market_index.sync set turn_until = null, lean_at = $3, walk_failures = $4
		where collection_id = $1 and turn = $2`,
		[id, turn, restUntil ?? leanAt, failures],
	);
}

/**
 * Says whether collections have waited for a first sync for a while. Collections whose sync failed
 * wait for their own time and do not count. By `sync_unsynced`.
 */
export async function isBehind(
	db: Queryable,
	{ chainIds, nowMs }: { chainIds: readonly number[]; nowMs: number },
): Promise<boolean> {
	const rows = await db.query(
		`select from market_index.sync as s
		join market_index.collection as c on c.id = s.collection_id and not c.excluded
		where s.synced_at is null and s.failures = 0
			and (s.provider_slug is null or s.parts is not null)
			and s.chain_id = any($1::int8[]) and c.registered_at <= $2 limit 1`,
		[chainIds, new Date(nowMs - BACKLOG_AFTER_MS)],
	);
	return rows.length > 0;
}

/**
 * Makes turns due that were claimed by a clock which was set back since: those whose last turn is
 * more than a turn's length ahead of now. Walks that rest after a failure may be further ahead.
 */
export async function mendTurns(
	db: Queryable,
	{ chainIds, nowMs }: { chainIds: readonly number[]; nowMs: number },
): Promise<void> {
	const ahead = INDEXED.map(
		(isIndexed) => `select collection_id from market_index.sync
			where chain_id = any($1::int8[]) and provider_slug is not null and ${isIndexed}
				and ${PLACE} > $2 and (walk_failures = 0 or ${PLACE} > $3)`,
	);
	await db.execute(
		`update market_index.sync set lean_at = null
		where collection_id in (
			select collection_id from market_index.sync
			where collection_id in (${ahead.join(" union all ")}) for update skip locked
		)`,
		[chainIds, new Date(nowMs + TURN_MS), new Date(nowMs + TURN_MS + TURN_REST_MAX_MS)],
	);
}

/**
 * Records that a chain's lanes are level with its head and have left nothing out. If they were not
 * seen level for a while, the span begins anew: what they left out meanwhile is not known.
 */
export async function noteLevel(
	db: Queryable,
	{ chainId, until }: { chainId: number; until: Date },
): Promise<void> {
	await db.execute(
		`insert into market_index.chain_span as span (chain_id, level_from, level_until)
		values ($1, $2, $2)
		on conflict (chain_id) do update set level_until = excluded.level_until,
			level_from = case when span.level_until >= $3 then span.level_from
				else excluded.level_from end
		where excluded.level_until > span.level_until`,
		[chainId, until, new Date(until.getTime() - LEVEL_BREAK_MS)],
	);
}

/**
 * Returns SQL that says whether the turn of a sync is free: `$2` is now, `$3` the end of a turn
 * that begins now. A turn that ends more than a turn's length after `$3` was claimed before the
 * clock was set back, and does not count. A smaller difference is that of two processes' clocks.
 */
export function isFree(sync: string): string {
	return `(${sync}.turn_until is null or ${sync}.turn_until <= $2
		or ${sync}.turn_until > $3::timestamptz + interval '${TURN_MS} ms')`;
}

/** Converts a row of such a statement to a turn. */
function turnOf(row: TurnRow): ClaimedTurn {
	const { id, chainId, address, providerSlug, turn, leanAt, levelFrom } = row;
	const { eventsFrom, eventsUntil, newestAt, newestTypes, failures } = row;
	const held = { eventsFrom, eventsUntil, newestAt, newestTypes, failures };
	return {
		...{ id, chainId, address, providerSlug, turn, leanAt, levelFrom, ...held },
		walk: walkOf(row),
		pages: row.from === null ? row.pages : 0,
		backwards: row.from === null ? row.idle : 0,
	};
}

function walkOf(row: TurnRow): ClaimedTurn["walk"] {
	const { from, until, reached, cursor, types, pages, idle, baseAt, newestAt, hole } = row;
	if (!from || !until || !reached || !types) return null;
	return {
		fromMs: from.getTime(),
		untilMs: until.getTime(),
		reachedMs: reached.getTime(),
		topMs: newestAt?.getTime() ?? null,
		holeMs: hole?.getTime() ?? null,
		cursor,
		pages,
		idle,
		types,
		baseAt,
	};
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
		order by ${DUE_PLACE} limit 1 for update of due skip locked
	) as head`;
}
