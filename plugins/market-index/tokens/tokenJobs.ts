// Makes the jobs of the work on tokens, and decides how long they wait.

import type { Core } from "#core/plugin/Core.ts";
import type { NewJob, QueueLane } from "#core/queue.ts";
import {
	FLOORS_DELAY_MS,
	LEARN_DELAY_MS,
	PROVIDER_EVERY_MS,
	REREAD_DELAY_MS,
	TOKENS_CONCURRENCY,
	TOKENS_MAX,
	TRAITS_EVERY_MS,
} from "#plugins/market-index/tokens/model.ts";
import type { TokenState } from "#plugins/market-index/tokens/sql/tokens.ts";
import { coversSupply } from "#plugins/market-index/tokens/storable.ts";
import type { Provider } from "#plugins/provider/contract.ts";

type Given = { delayMs?: number; keepsTime?: boolean };

export const LEARN_TOKENS_TASK = "market-index.learn-tokens";
export const READ_TOKENS_TASK = "market-index.read-tokens";
export const PROVIDER_TOKENS_TASK = "market-index.provider-tokens";
export const TRAITS_TASK = "market-index.traits";
export const TRAIT_FLOORS_TASK = "market-index.trait-floors";

/** Long work: it has workers of its own, so that names and prices do not wait for it. */
export const TOKEN_LANE: QueueLane = { name: "tokens", concurrency: TOKENS_CONCURRENCY };

/** The priority of these jobs: after jobs that change a figure. */
const LOW_PRIORITY = 10;

/**
 * Returns the job that finds unknown tokens, and queues their reading. The first request decides
 * when: mints at every block do not postpone it forever.
 *
 * @param again reads tokens again that were read before.
 */
export function learnTokensJob(
	collectionId: number,
	{ delayMs = LEARN_DELAY_MS, again = false }: { delayMs?: number; again?: boolean } = {},
): NewJob {
	return {
		task: LEARN_TOKENS_TASK,
		payload: { collectionId, again },
		// A separate key, so that an ordinary one does not replace it.
		key: `${LEARN_TOKENS_TASK}:${collectionId}${again ? ":again" : ""}`,
		priority: LOW_PRIORITY,
		delayMs,
		keepsTime: true,
	};
}

/** Returns the job that reads the metadata of due tokens. */
export function readTokensJob(collectionId: number, given: Given = {}): NewJob {
	return jobOf(READ_TOKENS_TASK, { collectionId }, given);
}

/** Returns the job that asks the provider about tokens that no other source knows. */
export function providerTokensJob(
	collectionId: number,
	{ cursor = null, ...given }: Given & { cursor?: string | null } = {},
): NewJob {
	return jobOf(PROVIDER_TOKENS_TASK, { collectionId, cursor }, given);
}

/**
 * Returns the job that counts traits, and ranks.
 *
 * @param forced does not wait until the last counts are old enough.
 */
export function traitsJob(
	collectionId: number,
	{ forced = false, ...given }: Given & { forced?: boolean } = {},
): NewJob {
	const job = jobOf(TRAITS_TASK, { collectionId, forced }, given);
	// A separate key, so that one which may wait does not replace it.
	return forced ? { ...job, key: `${job.key}:forced` } : job;
}

/**
 * Returns the job that finds the best ask for each value of each trait: used after traits were
 * counted.
 */
export function traitFloorsJob(collectionId: number): NewJob {
	return jobOf(TRAIT_FLOORS_TASK, { collectionId, isNewBook: false }, {});
}

/**
 * Returns the same job for use after an order book was read: it runs with a delay that later books
 * do not extend, and costs the provider nothing that counting traits would not.
 */
export function bookFloorsJob(collectionId: number): NewJob {
	const given = { delayMs: FLOORS_DELAY_MS, keepsTime: true };
	const job = jobOf(TRAIT_FLOORS_TASK, { collectionId, isNewBook: true }, given);
	return { ...job, key: `${job.key}:book` };
}

/**
 * Has tokens that were reported as changed read again from their own URIs. The reported content is
 * not used, as the contract's own is the better source. Rows are written in the order of their ids,
 * as everywhere that several are written.
 */
export async function tokensChanged(
	{ db, clock, queue }: Pick<Core, "db" | "clock" | "queue">,
	collectionId: number,
	tokenIds: readonly bigint[],
): Promise<void> {
	const distinct = [...new Set(tokenIds)];
	if (distinct.length === 0) return;
	await db.transaction(async (tx) => {
		await tx.execute(
			`insert into market_index.token (collection_id, token_id, next_at)
			select c.id, given.id, $3
			from market_index.collection as c, unnest($2::numeric[]) as given (id)
			where c.id = $1 order by given.id
			on conflict (collection_id, token_id) do update set next_at = excluded.next_at`,
			[collectionId, distinct, new Date(clock.nowMs())],
		);
		await queue.add(tx, [
			readTokensJob(collectionId, { delayMs: REREAD_DELAY_MS, keepsTime: true }),
		]);
	});
}

/**
 * Returns how long counting traits waits, in ms: until the last counts are old enough, and while a
 * collection is still being read as long as if it had just been counted.
 */
export function traitsDelayMs(
	{ traitsAt }: { traitsAt: Date | null },
	end: "done" | "late" | "unreachable",
	nowMs: number,
): number {
	if (end === "late") return TRAITS_EVERY_MS;
	if (traitsAt === null) return 0;
	return Math.max(traitsAt.getTime() + TRAITS_EVERY_MS - nowMs, 0);
}

/** Returns whether the provider is asked for tokens without an event or readable URI. */
export function wantsProvider(
	provider: Pick<Provider, "isOn">,
	state: Pick<TokenState, "providerSlug" | "nftsAt" | "unheard" | "tokens" | "supply">,
	nowMs: number,
): boolean {
	if (!provider.isOn || state.providerSlug === null) return false;
	if (state.nftsAt !== null && nowMs - state.nftsAt.getTime() < PROVIDER_EVERY_MS) return false;
	const isShort = state.tokens < TOKENS_MAX && !coversSupply(state.tokens, state.supply);
	return state.unheard > 0 || isShort;
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
