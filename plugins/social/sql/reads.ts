// Counts the month's reads of X, and records posts of the market radar.

import type { Queryable, Tx } from "#core/db/Database.ts";
import { PRUNE_ROWS_MAX } from "#plugins/social/limits.ts";

/**
 * Reserves a span of time and a text for a proactive post; returns false where the span has one, or
 * the text was posted before. The row is written before X is called.
 */
export async function takeRadarPost(
	db: Queryable,
	{ slot, digest, at }: { slot: number; digest: Uint8Array; at: Date },
): Promise<boolean> {
	const taken = await db.execute(
		`insert into social.radar_post (slot, digest, state, at) values ($1, $2, 'sending', $3)
		on conflict do nothing`,
		[slot, digest, at],
	);
	return taken > 0;
}

/** Returns true if a span of time has a post already, or a try. */
export async function hasRadarPost(db: Queryable, slot: number): Promise<boolean> {
	return (await db.query("select from social.radar_post where slot = $1", [slot])).length > 0;
}

export async function endRadarPost(
	db: Queryable,
	{ slot, state, postId }: { slot: number; state: string; postId: string | null },
): Promise<void> {
	await db.execute("update social.radar_post set state = $2, post_id = $3 where slot = $1", [
		slot,
		state,
		postId,
	]);
}

export async function pruneRadarPosts(db: Queryable, keptMs: number): Promise<number> {
	return await db.execute(
		`delete from social.radar_post where slot in (
			select slot from social.radar_post
			where at < now() - $1 * interval '1 millisecond' limit $2
		)`,
		[keptMs, PRUNE_ROWS_MAX],
	);
}

/** Returns the first day of the month, in UTC, as X bills it. */
export function monthOf(ms: number): string {
	return `${new Date(ms).toISOString().slice(0, 7)}-01`;
}

export async function readReads(db: Queryable, month: string): Promise<number> {
	const [row] = await db.query<{ reads: number }>(
		"select reads from social.read_month where month = $1::date",
		[month],
	);
	return row?.reads ?? 0;
}

/**
 * Takes the most reads that a call may cost from the month, for all processes together; returns
 * false where fewer are left. They are taken before the call, and unused ones are given back after
 * it.
 */
export async function takeReads(
	db: Queryable,
	{ at, reads, readsMax }: { at: Date; reads: number; readsMax: number },
): Promise<boolean> {
	if (reads > readsMax) return false;
	const taken = await db.execute(
		`with taken as (
			insert into social.read_month as known (month, reads) values ($1::date, $2::int8)
			on conflict (month) do update set reads = known.reads + excluded.reads
				where known.reads + excluded.reads <= $3
			returning true
		)
		insert into social.read_day as known (day, reads, began_at)
		select $4::date, $2, $5 from taken
		on conflict (day) do update set reads = known.reads + excluded.reads`,
		[monthOf(at.getTime()), reads, readsMax, dayOf(at), at],
	);
	return taken > 0;
}

/**
 * Settles what was taken for a call: items that were read before on the same day are free. Returns
 * nothing; where the answer had more than was taken, the rest is taken too.
 */
export async function settleReads(
	tx: Tx,
	{ at, taken, items }: { at: Date; taken: number; items: readonly string[] },
): Promise<void> {
	const fresh = await tx.execute(
		`insert into social.read_item (day, id) select distinct $1::date, id from unnest($2::text[]) id
		order by id on conflict do nothing`,
		[dayOf(at), items],
	);
	if (fresh === taken) return;
	const more = fresh - taken;
	// The month first, as `takeReads` does: two processes must not wait for each other.
	await tx.execute(
		`insert into social.read_month as known (month, reads) values ($1::date, greatest(0, $2::int8))
		on conflict (month) do update set reads = greatest(0, known.reads + $2::int8)`,
		[monthOf(at.getTime()), more],
	);
	await tx.execute(
		`insert into social.read_day as known (day, reads, began_at)
		values ($1::date, greatest(0, $2::int8), $3)
		on conflict (day) do update set reads = greatest(0, known.reads + $2::int8)`,
		[dayOf(at), more, at],
	);
}

/** Returns what was read today and yesterday (UTC), and since when; null where nothing was. */
export async function readRecentReads(
	db: Queryable,
	at: Date,
): Promise<{ reads: number; since: Date } | null> {
	const [row] = await db.query<{ reads: number; since: Date | null }>(
		`select coalesce(sum(reads), 0)::float8 as reads, min(began_at) as since from social.read_day
		where day >= $1::date - 1`,
		[dayOf(at)],
	);
	return row?.since ? { reads: row.reads, since: row.since } : null;
}

/** Deletes months, days and items that nothing asks for any more, by the database's time. */
export async function pruneReads(db: Queryable, keptMs: number): Promise<void> {
	await db.execute(
		`delete from social.read_month
		where month < ((now() - $1 * interval '1 millisecond') at time zone 'UTC')::date`,
		[keptMs],
	);
	// A day more than is asked for: the clock of who asks may be off.
	const before = "(now() at time zone 'UTC')::date - 2";
	await db.execute(`delete from social.read_day where day < ${before}`);
	await db.execute(`delete from social.read_item where day < ${before}`);
}

/** Returns the day in UTC, in which X bills an item once. */
function dayOf(at: Date): string {
	return at.toISOString().slice(0, 10);
}
