import { z } from "zod";
import type { NewJob } from "#core/queue/JobQueue.ts";
import type { QueueTask } from "#core/queue/QueueTask.ts";
import { CHAIN_AWAY_MS } from "#plugins/market-index/metadata/metadataJobs.ts";
import { PART_TIMEOUT_MS, UNREACHABLE_AGAIN_MS } from "#plugins/market-index/tokens/limits.ts";
import { type Part, readPart } from "#plugins/market-index/tokens/readPart.ts";
import { type TokenState, tokenState } from "#plugins/market-index/tokens/sql/tokenState.ts";
import type { TokenContext } from "#plugins/market-index/tokens/TokenContext.ts";
import {
	providerTokensJob,
	READ_TOKENS_TASK,
	readTokensJob,
	TOKEN_LANE,
	traitsJob,
} from "#plugins/market-index/tokens/tokenJobs.ts";
import { traitsDelayMs } from "#plugins/market-index/tokens/traitsDelayMs.ts";
import { wantsProvider } from "#plugins/market-index/tokens/wantsProvider.ts";

const payload = z.object({ collectionId: z.int() });

/**
 * Makes the task that reads the metadata of a collection's tokens, a part a run, and has the traits
 * counted.
 */
export function readTokensTask(context: TokenContext): QueueTask<typeof payload> {
	const { core } = context;
	const tell = teller(context);
	return {
		name: READ_TOKENS_TASK,
		payload,
		attemptsMax: 12,
		timeoutMs: PART_TIMEOUT_MS,
		lane: TOKEN_LANE,
		async run({ collectionId }, { signal }) {
			const collection = await tokenState(core.db, collectionId);
			if (!collection) return;
			const access = core.indexed.find(({ chain }) => chain.id === collection.chainId);
			if (!access) {
				const later = readTokensJob(collectionId, { delayMs: CHAIN_AWAY_MS });
				await core.db.transaction((tx) => core.queue.add(tx, [later]));
				return;
			}
			const part = await readPart(context, access, collection, { signal });
			tell(access.chain.slug, collection, part);
			const state = await tokenState(core.db, collectionId);
			if (!state) return;
			await core.db.transaction((tx) => core.queue.add(tx, jobsAfter(context, state, part)));
		},
	};
}

function jobsAfter({ core, provider }: TokenContext, state: TokenState, part: Part): NewJob[] {
	const nowMs = core.clock.nowMs();
	const jobs: NewJob[] = [];
	if (part.end === "late") jobs.push(readTokensJob(state.id));
	if (part.end === "unreachable") {
		jobs.push(readTokensJob(state.id, { delayMs: UNREACHABLE_AGAIN_MS }));
	}
	// Half a collection is counted when its time comes, a whole one as soon as possible.
	if (part.changed > 0 || (part.read > 0 && part.end === "done")) {
		const keepsTime = part.end === "late";
		jobs.push(traitsJob(state.id, { delayMs: traitsDelayMs(state, part.end, nowMs), keepsTime }));
	}
	if (part.end !== "late" && wantsProvider(provider, state, nowMs)) {
		jobs.push(providerTokensJob(state.id));
	}
	return jobs;
}

/** Makes a function that logs one line a run at most, whatever happened to how many tokens. */
function teller({ core }: TokenContext) {
	const tokens = core.metrics.counter({
		name: "token_reads_total",
		help: "Tokens whose metadata was asked for, by what came of it.",
		labels: ["chain", "outcome"],
	});
	const swaps = core.metrics.counter({
		name: "token_uri_swaps_total",
		help: "Tokens that were found with another URI than before.",
		labels: ["chain"],
	});
	return (chain: string, { address }: TokenState, part: Part) => {
		tokens.inc({ chain, outcome: "read" }, part.read);
		tokens.inc({ chain, outcome: "failed" }, part.failed);
		swaps.inc({ chain }, part.swapped);
		if (part.failed === 0 && part.swapped === 0) return;
		core.log.info("tokens were read, not all as before", { chain, contract: address, ...part });
	};
}
