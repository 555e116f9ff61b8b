import type { Clock } from "#core/clock/Clock.ts";
import type { Database } from "#core/db/Database.ts";
import type { JobQueue } from "#core/queue/JobQueue.ts";
import type { Job } from "#core/schedule/Job.ts";
import { DUE_EVERY_MS, DUE_ROWS_MAX } from "#plugins/market-index/tokens/limits.ts";
import { readTokensJob } from "#plugins/market-index/tokens/tokenJobs.ts";

/**
 * Has tokens read whose time has come: a second try is nobody's to ask for, and a job that was
 * given up while a chain was away must not be missed for ever. By `token_due`.
 */
export function dueTokensJob(core: { db: Database; clock: Clock; queue: JobQueue }): Job {
	return {
		name: "market-index.due-tokens",
		schedule: { everyMs: DUE_EVERY_MS },
		lock: "cluster",
		timeoutMs: DUE_EVERY_MS,
		async run() {
			const at = new Date(core.clock.nowMs());
			const due = await core.db.query<{ id: number }>(
				`select distinct collection_id as id from (
					select collection_id from market_index.token
					where next_at <= $1 order by next_at limit $2
				) as due order by id`,
				[at, DUE_ROWS_MAX],
			);
			// Keeps the time of one that is in line: it may wait because nobody serves the documents.
			const jobs = due.map(({ id }) => readTokensJob(id, { keepsTime: true }));
			await core.db.transaction((tx) => core.queue.add(tx, jobs));
		},
	};
}
