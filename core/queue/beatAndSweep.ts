import type { Database } from "#core/db/Database.ts";

/** A worker silent for this long is dead. */
const DEAD_AFTER_SECONDS = 20;

/**
 * Says that these workers live, and gives free what workers held that no longer do: a process
 * killed in the middle of a job must cost that job seconds, not the queue's four hours.
 */
export async function beatAndSweep(db: Database, workers: readonly string[]): Promise<void> {
	await db.transaction(async (tx) => {
		await tx.execute(
			`insert into core.worker_heartbeat (worker_id, beat_at)
			select worker_id, now() from unnest($1::text[]) as given (worker_id)
			on conflict (worker_id) do update set beat_at = excluded.beat_at`,
			[workers],
		);
		const dead = await tx.query<{ id: string }>(
			`delete from core.worker_heartbeat
			where beat_at < now() - $1 * interval '1 second' returning worker_id as id`,
			[DEAD_AFTER_SECONDS],
		);
		if (dead.length === 0) return;
		await tx.execute("select graphile_worker.force_unlock_workers($1::text[])", [
			dead.map(({ id }) => id),
		]);
	});
}
