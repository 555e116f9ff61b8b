import type { QueueTask } from "#core/queue/QueueTask.ts";
import type { Job } from "#core/schedule/Job.ts";
import { createReveals } from "#plugins/market-index/tokens/createReveals.ts";
import { dueTokensJob } from "#plugins/market-index/tokens/dueTokensJob.ts";
import { learnTokensTask } from "#plugins/market-index/tokens/learnTokensTask.ts";
import { providerTokensTask } from "#plugins/market-index/tokens/providerTokensTask.ts";
import type { RevealIndex } from "#plugins/market-index/tokens/RevealIndex.ts";
import { readTokensTask } from "#plugins/market-index/tokens/readTokensTask.ts";
import type { TokenContext } from "#plugins/market-index/tokens/TokenContext.ts";
import { tokensChanged } from "#plugins/market-index/tokens/tokensChanged.ts";
import { traitFloorsTask } from "#plugins/market-index/tokens/traitFloorsTask.ts";
import { traitsTask } from "#plugins/market-index/tokens/traitsTask.ts";

/** Makes all the work on tokens: found, read, told by the provider, counted, ranked, priced. */
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

export type Tokens = {
	jobs: Job[];
	tasks: QueueTask[];
	/** The index's part in the detection of reveals. */
	reveals: RevealIndex;
	/** Handles changed metadata of these tokens. */
	changed(collection: { id: number }, tokenIds: readonly bigint[]): Promise<void>;
};
