// Stores how far walks have read, and reads whether a first walk is done.

import type { Queryable, Tx } from "#core/db/Database.ts";
import type { ClaimedTurn, Walk } from "#plugins/market-index/sync/walk/nextStep.ts";

export type EndedWalk = {
	/** The time that is covered from now on; null where the walk has no usable result. */
	held: { from: Date; until: Date } | null;
	baseAt: Date | null;
	/** The newest event in the list, and for which kinds. */
	newestAt: Date | null;
	newestTypes: readonly string[] | null;
	/** Pages that a walk read without a result: the next one counts on. */
	pages: number;
	/** The number of times in a row that the list of events was older than the one read before. */
	backwards: number;
	/** Turns in a row without a result. */
	failures: number;
	/** The time of the last turn to store; in the future while the walk rests; null: no change. */
	leanAt: Date | null;
	foreignUntil: Date | null;
	/** Now. A `foreign_until` before it is cleared. */
	at: Date;
};

/** Says whether a collection's first sync only waits for its events. */
export async function awaitsWalk(db: Queryable, collectionId: number): Promise<boolean> {
	const rows = await db.query(
		`select from market_index.sync as s join market_index.collection as c on c.id = s.collection_id
		where s.collection_id = $1 and s.synced_at is null and s.started_at is null
			and c.sync_status = 'syncing'`,
		[collectionId],
	);
	return rows.length > 0;
}

/**
 * Ends a walk and its turn, and stores what is covered. Returns whether this worker still had the
 * turn. If a gap has set `events_until` back meanwhile that stays, and the next walk begins with
 * the gap.
 */
export async function endWalk(
	tx: Tx,
	{ id, turn }: Pick<ClaimedTurn, "id" | "turn">,
	ended: EndedWalk,
): Promise<boolean> {
	const { held, baseAt, newestAt, newestTypes, pages, backwards, failures, leanAt } = ended;
	const { foreignUntil, at } = ended;
	const rows = await tx.query(
		`update market_index.sync set
			events_from = case
				when $3::timestamptz is null or events_until is distinct from $5 then events_from
				when events_from is not null and $3 <= events_until then events_from
				else $3 end,
			events_until = case
				when $4::timestamptz is null or events_until is distinct from $5 then events_until
				else $4 end,
			events_newest = $6, events_newest_types = $11, walk_base = null, walk_from = null,
			walk_until = null, walk_reached = null, walk_cursor = null, walk_types = null,
			walk_hole = null, walk_pages = $7, walk_idle = $8, walk_failures = $12,
			turn_until = null, lean_at = coalesce($9, lean_at),
			foreign_until = nullif(greatest(foreign_until, $10, $13), $13)
		where collection_id = $1 and turn = $2 returning collection_id`,
		[
			...[id, turn, held?.from ?? null, held?.until ?? null, baseAt],
			...[newestAt, pages, backwards, leanAt, foreignUntil, newestTypes, failures, at],
		],
	);
	return rows.length > 0;
}

/**
 * Says whether only the provider has a sale of a collection, in a time in which the chain's lanes
 * left nothing out: then no lane decodes that venue. By `unconfirmed_sale`.
 */
export async function hasProviderOnlySale(
	db: Queryable,
	{ collectionId, from, until }: { collectionId: number; from: Date; until: Date },
): Promise<boolean> {
	const rows = await db.query(
		`select from market_index.unconfirmed
		where collection_id = $1 and kind = 0 and occurred_at > $2 and occurred_at < $3 limit 1`,
		[collectionId, from, until],
	);
	return rows.length > 0;
}

/**
 * Says whether a collection's first walk is done, or impossible because its slug is not known. A
 * walk that ended without any event is done as well; later turns try again.
 */
export async function isWalked(db: Queryable, collectionId: number): Promise<boolean> {
	const rows = await db.query(
		`select from market_index.sync where collection_id = $1
			and (events_until is not null or provider_slug is null
				or (walk_until is null and walk_pages > 0))`,
		[collectionId],
	);
	return rows.length > 0;
}

/**
 * Stores where a walk continues, and ends the turn. Does nothing where another turn has the walk.
 */
export async function keepWalk(
	db: Queryable,
	{ id, turn }: Pick<ClaimedTurn, "id" | "turn">,
	walk: Walk & { baseAt: Date | null; types: readonly string[] },
): Promise<void> {
	await db.execute(
		`update market_index.sync set walk_base = $3, walk_from = $4, walk_until = $5,
			walk_reached = $6, walk_cursor = $7, walk_types = $8, walk_pages = $9, walk_idle = $10,
			events_newest = $11, events_newest_types = $8, walk_hole = $12, walk_failures = 0,
			turn_until = null
		where collection_id = $1 and turn = $2`,
		[
			...[id, turn, walk.baseAt, new Date(walk.fromMs), new Date(walk.untilMs)],
			...[new Date(walk.reachedMs), walk.cursor, walk.types, walk.pages, walk.idle],
			walk.topMs === null ? null : new Date(walk.topMs),
			walk.holeMs === null ? null : new Date(walk.holeMs),
		],
	);
}
