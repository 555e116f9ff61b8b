// Puts together all work on tokens, and queues tokens that are due.

import type { Core } from "#core/plugin/Core.ts";
import type { QueueTask } from "#core/queue.ts";
import type { Job } from "#core/schedule.ts";
import { createReveals, type RevealIndex } from "#plugins/market-index/tokens/createReveals.ts";
import {
	DUE_EVERY_MS,
	DUE_ROWS_MAX,
	type TokenContext,
} from "#plugins/market-index/tokens/model.ts";
import { providerTokensTask } from "#plugins/market-index/tokens/providerTokensTask.ts";
import { learnTokensTask, readTokensTask } from "#plugins/market-index/tokens/readTokensTask.ts";
import { readTokensJob, tokensChanged } from "#plugins/market-index/tokens/tokenJobs.ts";
import { traitFloorsTask, traitsTask } from "#plugins/market-index/tokens/traitsTask.ts";

export type Tokens = {
	jobs: Job[];
	tasks: QueueTask[];
	/** The index's part in the detection of reveals. */
	reveals: RevealIndex;
	/** Handles changed metadata of these tokens. */
	changed(collection: { id: number }, tokenIds: readonly bigint[]): Promise<void>;
};

/**
 * Makes all work on tokens: finding, reading, taking over the provider's data, counting, ranking,
 * pricing.
 */
export function createTokens(context: TokenContext): Tokens {
	return {
		changed: ({ id }, tokenIds) => tokensChanged(context.core, id, tokenIds),
		reveals: createReveals(context),
		jobs: [dueTokensJob(context.core)],
		tasks: [
			learnTokensTask(context),
			readTokensTask(context),
			providerTokensTask(context),
			traitsTask(context),
			traitFloorsTask(context),
		],
	};
}

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
