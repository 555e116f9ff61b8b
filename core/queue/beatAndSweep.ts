import type { Database } from "#core/db/Database.ts";

/** A worker silent for this long is dead. */
const DEAD_AFTER_SECONDS = 20;

/**
 * Says that these workers live, and gives free what workers held that no longer do: a process
 * killed in the middle of a job must cost that job seconds, not the queue's four hours.
 *
 * A worker is whatever name the queue locks jobs by (its pool's). One that was killed before its
 * first beat left no heartbeat, so locks of names that nobody knows are given free too.
 */
export async function beatAndSweep(db: Database, workers: readonly string[]): Promise<void> {
	await db.transaction(async (tx) => {
		// Sorted, so that processes that sweep at the same time wait and do not deadlock.
		await tx.execute(
			`insert into core.worker_heartbeat (worker_id, beat_at)
			select worker_id, now() from unnest($1::text[]) as given (worker_id)
			on conflict (worker_id) do update set beat_at = excluded.beat_at`,
			[[...workers].sort()],
		);
		const silent = await tx.query<{ id: string }>(
			`delete from core.worker_heartbeat where worker_id in (
				select worker_id from core.worker_heartbeat
				where beat_at < now() - $1 * interval '1 second'
				order by worker_id for update skip locked
			) returning worker_id as id`,
			[DEAD_AFTER_SECONDS],
		);
		const unknown = await tx.query<{ id: string }>(
			`select distinct locked_by as id from graphile_worker.jobs
			where locked_at < now() - $1 * interval '1 second'
			and not exists (select from core.worker_heartbeat where worker_id = locked_by)`,
			[DEAD_AFTER_SECONDS],
		);
		const dead = new Set([...silent, ...unknown].map(({ id }) => id));
		if (dead.size === 0) return;
		await tx.execute("select graphile_worker.force_unlock_workers($1::text[])", [[...dead]]);
	});
}
