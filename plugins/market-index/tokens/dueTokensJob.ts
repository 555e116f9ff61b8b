import type { Core } from "#core/plugin/Core.ts";
import type { Job } from "#core/schedule/Job.ts";
import { DUE_EVERY_MS, DUE_ROWS_MAX } from "#plugins/market-index/tokens/limits.ts";
import { readTokensJob } from "#plugins/market-index/tokens/tokenJobs.ts";

/**
 * Makes a job that queues due tokens for reading: nothing else asks for a second attempt, and a job
 * that was given up while a chain was away must not be missed forever. By `token_due`; tokens that
 * cannot be read (excluded, of a chain that is away) take no other's place.
 */
export function dueTokensJob(core: Pick<Core, "db" | "clock" | "queue" | "indexed">): Job {
	return {
		name: "market-index.due-tokens",
		schedule: { everyMs: DUE_EVERY_MS },
		lock: "cluster",
		timeoutMs: DUE_EVERY_MS,
		async run() {
			const at = new Date(core.clock.nowMs());
			const due = await core.db.query<{ id: number }>(
				`select distinct collection_id as id from (
					select t.collection_id from market_index.token as t
					join market_index.collection as c on c.id = t.collection_id
						and c.chain_id = any($3::int8[]) and not c.excluded
					where t.next_at <= $1 order by t.next_at limit $2
				) as due order by id`,
				[at, DUE_ROWS_MAX, core.indexed.map(({ chain }) => chain.id)],
			);
			// Keeps the time of a queued one: it may wait because no server has the documents.
			const jobs = due.map(({ id }) => readTokensJob(id, { keepsTime: true }));
			await core.db.transaction((tx) => core.queue.add(tx, jobs));
		},
	};
}
