import type { Tx } from "#core/db/Database.ts";
import type { ClaimedTurn } from "#plugins/market-index/sync/walk/ClaimedTurn.ts";

export type EndedWalk = {
	/** What is covered from now on; null where the walk has no usable result. */
	held: { from: Date; until: Date } | null;
	baseAt: Date | null;
	/** The newest event in the list, and for which kinds. */
	newestAt: Date | null;
	newestTypes: readonly string[] | null;
	/** Pages that a walk read without a result: the next one counts on. */
	pages: number;
	/** How many times in a row the list of events was older than the one read before. */
	backwards: number;
	/** Turns in a row without a result. */
	failures: number;
	/** The stored time of its last turn: later than now where it rests; null leaves it as it was. */
	leanAt: Date | null;
	foreignUntil: Date | null;
	/** Now. A `foreign_until` before it is cleared. */
	at: Date;
};

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
