// Finds a collection's tokens, and reads their metadata.

import { z } from "zod";
import type { Tx } from "#core/db/Database.ts";
import type { NewJob, QueueTask } from "#core/queue.ts";
import { CHAIN_AWAY_MS } from "#plugins/market-index/metadata/metadataJobs.ts";
import {
	PART_TIMEOUT_MS,
	type TokenContext,
	UNREACHABLE_AGAIN_MS,
	WALKING_AGAIN_MS,
} from "#plugins/market-index/tokens/model.ts";
import { type Part, readPart } from "#plugins/market-index/tokens/readTokenUris.ts";
import {
	learnTokens,
	type TokenState,
	tokenState,
} from "#plugins/market-index/tokens/sql/tokens.ts";
import { coversSupply } from "#plugins/market-index/tokens/storable.ts";
import {
	LEARN_TOKENS_TASK,
	learnTokensJob,
	providerTokensJob,
	READ_TOKENS_TASK,
	readTokensJob,
	TOKEN_LANE,
	traitsDelayMs,
	traitsJob,
	wantsProvider,
} from "#plugins/market-index/tokens/tokenJobs.ts";

const learnPayload = z.object({ collectionId: z.int(), again: z.boolean().default(false) });

const readPayload = z.object({ collectionId: z.int() });

/**
 * Makes the task that reads the metadata of a collection's tokens, a part a run, and has the traits
 * counted.
 */
export function readTokensTask(context: TokenContext): QueueTask<typeof readPayload> {
	const { core } = context;
	const tell = teller(context);
	return {
		name: READ_TOKENS_TASK,
		payload: readPayload,
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

/**
 * Makes the task that finds a collection's tokens by owners and events, and queues reading them.
 */
export function learnTokensTask({ core, provider }: TokenContext): QueueTask<typeof learnPayload> {
	return {
		name: LEARN_TOKENS_TASK,
		payload: learnPayload,
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

/** Makes a function that logs at most one line in a run, for all tokens together. */
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

/**
 * Makes all tokens of a collection due now. Must be called after `learnTokens`, which locks them.
 */
async function makeDue(tx: Tx, collectionId: number, at: Date) {
	await tx.execute(
		`update market_index.token set next_at = $2, failures = 0 where collection_id = $1`,
		[collectionId, at],
	);
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
