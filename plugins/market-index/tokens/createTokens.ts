import type { QueueTask } from "#core/queue/QueueTask.ts";
import type { Job } from "#core/schedule/Job.ts";
import { dueTokensJob } from "#plugins/market-index/tokens/dueTokensJob.ts";
import { learnTokensTask } from "#plugins/market-index/tokens/learnTokensTask.ts";
import { providerTokensTask } from "#plugins/market-index/tokens/providerTokensTask.ts";
import { readTokensTask } from "#plugins/market-index/tokens/readTokensTask.ts";
import type { TokenContext } from "#plugins/market-index/tokens/TokenContext.ts";
import { tokenChanged } from "#plugins/market-index/tokens/tokenChanged.ts";
import { traitFloorsTask } from "#plugins/market-index/tokens/traitFloorsTask.ts";
import { traitsTask } from "#plugins/market-index/tokens/traitsTask.ts";

/** All the work on tokens: found, read, told by the provider, counted, ranked, priced. */
export function createTokens(context: TokenContext): Tokens {
	return {
		changed: ({ id }, { tokenId }) => tokenChanged(context.core, id, tokenId),
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

export type Tokens = {
	jobs: Job[];
	tasks: QueueTask[];
	/** Word came that a token says something else of itself now. */
	changed(collection: { id: number }, token: { tokenId: bigint }): Promise<void>;
};
