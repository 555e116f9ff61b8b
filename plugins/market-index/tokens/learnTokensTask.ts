import { z } from "zod";
import type { Tx } from "#core/db/Database.ts";
import type { NewJob } from "#core/queue/JobQueue.ts";
import type { QueueTask } from "#core/queue/QueueTask.ts";
import { coversSupply } from "#plugins/market-index/tokens/coversSupply.ts";
import { PART_TIMEOUT_MS, WALKING_AGAIN_MS } from "#plugins/market-index/tokens/limits.ts";
import { learnTokens } from "#plugins/market-index/tokens/sql/learnTokens.ts";
import { tokenState } from "#plugins/market-index/tokens/sql/tokenState.ts";
import type { TokenContext } from "#plugins/market-index/tokens/TokenContext.ts";
import {
	LEARN_TOKENS_TASK,
	learnTokensJob,
	providerTokensJob,
	readTokensJob,
	TOKEN_LANE,
	traitsJob,
} from "#plugins/market-index/tokens/tokenJobs.ts";
import { wantsProvider } from "#plugins/market-index/tokens/wantsProvider.ts";

const payload = z.object({ collectionId: z.int(), again: z.boolean().default(false) });

/**
 * Makes the task that finds a collection's tokens, as far as owners and events tell, and has them
 * read.
 */
export function learnTokensTask({ core, provider }: TokenContext): QueueTask<typeof payload> {
	return {
		name: LEARN_TOKENS_TASK,
		payload,
		attemptsMax: 8,
		timeoutMs: PART_TIMEOUT_MS,
		lane: TOKEN_LANE,
		async run({ collectionId, again }) {
			const before = await tokenState(core.db, collectionId);
			if (!before) return;
			const nowMs = core.clock.nowMs();
			const at = new Date(nowMs);
			await core.db.transaction(async (tx) => {
				await learnTokens(tx, { collectionId, at });
				if (again) await makeDue(tx, collectionId, at);
			});
			await noteLearned(core, collectionId, at);
			const state = await tokenState(core.db, collectionId);
			if (!state) return;
			const jobs: NewJob[] = [];
			if (again || state.untried > 0) jobs.push(readTokensJob(collectionId));
			else {
				if (wantsProvider(provider, state, nowMs)) jobs.push(providerTokensJob(collectionId));
				// The process that read them ended before it could have them counted.
				const isUncounted = state.traited > 0 && state.traitsAt === null;
				// Their ranks are of a part: the supply was not known when they were made.
				const isPart = state.isRanked && !coversSupply(state.traited, state.supply);
				if (isUncounted || isPart) jobs.push(traitsJob(collectionId));
			}
			if (state.walking) jobs.push(learnTokensJob(collectionId, { delayMs: WALKING_AGAIN_MS }));
			await core.db.transaction((tx) => core.queue.add(tx, jobs));
		},
	};
}

/**
 * Records when tokens of a collection were first looked for. Written once: `repairJob` queues this
 * task for each collection without such a time.
 */
async function noteLearned({ db }: TokenContext["core"], collectionId: number, at: Date) {
	await db.execute(
		"update market_index.collection set learned_at = $2 where id = $1 and learned_at is null",
		[collectionId, at],
	);
}

/**
 * Makes all tokens of a collection due now. Must be called after `learnTokens`, which locks them.
 */
async function makeDue(tx: Tx, collectionId: number, at: Date) {
	await tx.execute(
		`update market_index.token set next_at = $2, failures = 0 where collection_id = $1`,
		[collectionId, at],
	);
}
