import type { NewJob } from "#core/queue/JobQueue.ts";
import type { QueueLane } from "#core/queue/QueueTask.ts";
import {
	FLOORS_DELAY_MS,
	LEARN_DELAY_MS,
	TOKENS_CONCURRENCY,
} from "#plugins/market-index/tokens/limits.ts";

export const LEARN_TOKENS_TASK = "market-index.learn-tokens";
export const READ_TOKENS_TASK = "market-index.read-tokens";
export const PROVIDER_TOKENS_TASK = "market-index.provider-tokens";
export const TRAITS_TASK = "market-index.traits";
export const TRAIT_FLOORS_TASK = "market-index.trait-floors";

/** Long work: it has workers of its own, so that names and prices do not wait for it. */
export const TOKEN_LANE: QueueLane = { name: "tokens", concurrency: TOKENS_CONCURRENCY };

/** Behind whatever moves a figure. */
const LOW_PRIORITY = 10;

type Given = { delayMs?: number; keepsTime?: boolean };

/**
 * Looks for tokens that are not known yet, and reads those. What asks first decides when: a mint
 * at every block does not put it off for ever.
 *
 * @param again reads tokens anew that were read before.
 */
export function learnTokensJob(
	collectionId: number,
	{ delayMs = LEARN_DELAY_MS, again = false }: { delayMs?: number; again?: boolean } = {},
): NewJob {
	return {
		task: LEARN_TOKENS_TASK,
		payload: { collectionId, again },
		// Apart, so that an ordinary one does not take its place.
		key: `${LEARN_TOKENS_TASK}:${collectionId}${again ? ":again" : ""}`,
		priority: LOW_PRIORITY,
		delayMs,
		keepsTime: true,
	};
}

/** Reads the metadata of tokens whose time has come. */
export function readTokensJob(collectionId: number, given: Given = {}): NewJob {
	return jobOf(READ_TOKENS_TASK, { collectionId }, given);
}

/** Asks the provider about tokens that nobody else knows. */
export function providerTokensJob(
	collectionId: number,
	{ cursor = null, ...given }: Given & { cursor?: string | null } = {},
): NewJob {
	return jobOf(PROVIDER_TOKENS_TASK, { collectionId, cursor }, given);
}

/**
 * Counts traits, and ranks.
 *
 * @param forced does not wait until the last counts are old enough.
 */
export function traitsJob(
	collectionId: number,
	{ forced = false, ...given }: Given & { forced?: boolean } = {},
): NewJob {
	const job = jobOf(TRAITS_TASK, { collectionId, forced }, given);
	// Apart, so that one which may wait does not take its place.
	return forced ? { ...job, key: `${job.key}:forced` } : job;
}

/** Finds the best ask for each value of each trait: for whoever has just counted traits. */
export function traitFloorsJob(collectionId: number): NewJob {
	return jobOf(TRAIT_FLOORS_TASK, { collectionId, isNewBook: false }, {});
}

/**
 * The same for whoever has just read an order book: it comes a minute after the next one as well,
 * and costs the provider nothing that counting traits would not.
 */
export function bookFloorsJob(collectionId: number): NewJob {
	const given = { delayMs: FLOORS_DELAY_MS, keepsTime: true };
	const job = jobOf(TRAIT_FLOORS_TASK, { collectionId, isNewBook: true }, given);
	return { ...job, key: `${job.key}:book` };
}

function jobOf<Payload extends { collectionId: number }>(
	task: string,
	payload: Payload,
	given: Given,
): NewJob {
	return {
		task,
		payload,
		key: `${task}:${payload.collectionId}`,
		priority: LOW_PRIORITY,
		...given,
	};
}
