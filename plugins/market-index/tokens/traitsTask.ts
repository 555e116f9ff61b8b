import { z } from "zod";
import type { QueueTask } from "#core/queue/QueueTask.ts";
import { rankTokens } from "#plugins/market-index/rank/rankTokens.ts";
import { isRevealed } from "#plugins/market-index/reveal/isRevealed.ts";
import { coversSupply } from "#plugins/market-index/tokens/coversSupply.ts";
import {
	PART_TIMEOUT_MS,
	REREAD_LIFE_MS,
	REREAD_WAIT_MS,
} from "#plugins/market-index/tokens/limits.ts";
import { settleReveal } from "#plugins/market-index/tokens/settleReveal.ts";
import { countTraits } from "#plugins/market-index/tokens/sql/countTraits.ts";
import { noteTraits } from "#plugins/market-index/tokens/sql/noteTraits.ts";
import { takeRanksBack } from "#plugins/market-index/tokens/sql/takeRanksBack.ts";
import { type TokenState, tokenState } from "#plugins/market-index/tokens/sql/tokenState.ts";
import { tokenTraits } from "#plugins/market-index/tokens/sql/tokenTraits.ts";
import { writeProviderCounts } from "#plugins/market-index/tokens/sql/writeProviderCounts.ts";
import { writeRanks } from "#plugins/market-index/tokens/sql/writeRanks.ts";
import { storableTraits } from "#plugins/market-index/tokens/storableTraits.ts";
import type { TokenContext } from "#plugins/market-index/tokens/TokenContext.ts";
import {
	TOKEN_LANE,
	TRAITS_TASK,
	traitFloorsJob,
	traitsJob,
} from "#plugins/market-index/tokens/tokenJobs.ts";
import { traitsDelayMs } from "#plugins/market-index/tokens/traitsDelayMs.ts";

const payload = z.object({ collectionId: z.int(), forced: z.boolean().default(false) });

/**
 * Makes the task that counts a collection's traits, and ranks its tokens where ranks are useful.
 */
export function traitsTask(context: TokenContext): QueueTask<typeof payload> {
	const { core } = context;
	return {
		name: TRAITS_TASK,
		payload,
		attemptsMax: 8,
		timeoutMs: PART_TIMEOUT_MS,
		lane: TOKEN_LANE,
		async run({ collectionId, forced }, { signal }) {
			const state = await tokenState(core.db, collectionId);
			if (!state) return;
			const nowMs = core.clock.nowMs();
			const delayMs = waitOf(state, forced, nowMs);
			if (delayMs > 0) {
				const later = traitsJob(collectionId, { delayMs, keepsTime: true });
				await core.db.transaction((tx) => core.queue.add(tx, [later]));
				return;
			}
			await count(context, state, signal);
			const revealState = await settleReveal(core, state);
			const isRanked = await rank(core, state, { isShown: revealState !== "placeholder" });
			await noteTraits(core.db, { collectionId, at: new Date(nowMs), isRanked });
			await core.db.transaction((tx) => core.queue.add(tx, [traitFloorsJob(collectionId)]));
		},
	};
}

/**
 * Counts a collection's traits now, whenever they were last counted: its own, and the provider's
 * only where no token has any. False where there is no such collection.
 */
export async function countTraitsNow(
	context: TokenContext,
	collectionId: number,
	signal: AbortSignal,
): Promise<boolean> {
	const state = await tokenState(context.core.db, collectionId);
	if (state) await count(context, state, signal);
	return state !== null;
}

/** Ranks a collection's tokens now, although it is not in state `revealed` yet. */
export async function rankTokensNow(
	{ core }: Pick<TokenContext, "core">,
	collectionId: number,
): Promise<void> {
	const state = await tokenState(core.db, collectionId);
	if (!state) return;
	// Tokens that are unreadable for good prevent no rank: the reading covered the rest.
	const isRanked = await rank(core, { ...state, untried: 0 }, { isShown: true });
	await noteTraits(core.db, { collectionId, at: new Date(core.clock.nowMs()), isRanked });
	await core.db.transaction((tx) => core.queue.add(tx, [traitFloorsJob(collectionId)]));
}

/**
 * Returns how long counting waits, in ms: for its time, and while all tokens are read again, even
 * if forced.
 */
function waitOf(state: TokenState, forced: boolean, nowMs: number): number {
	const since = state.rereadSince?.getTime() ?? Number.NEGATIVE_INFINITY;
	if (nowMs - since < REREAD_LIFE_MS) return REREAD_WAIT_MS;
	return forced ? 0 : traitsDelayMs(state, "done", nowMs);
}

async function count(context: TokenContext, state: TokenState, signal: AbortSignal): Promise<void> {
	const { db } = context.core;
	if (state.traited > 0) await db.transaction((tx) => countTraits(tx, state.id));
	else await countByProvider(context, state, signal);
}

async function countByProvider(
	{ core, provider }: TokenContext,
	{ id, providerSlug }: TokenState,
	signal: AbortSignal,
): Promise<void> {
	if (!provider.isOn || providerSlug === null) return;
	const told = await provider.traits(providerSlug, { purpose: "background", signal });
	if (!told) return;
	const counts = told.flatMap(({ type, values }) =>
		values.flatMap(({ value, count }) =>
			storableTraits([{ type, value }]).map((trait) => ({ ...trait, tokens: count })),
		),
	);
	await core.db.transaction((tx) => writeProviderCounts(tx, id, counts));
}

/**
 * Writes ranks (none before the reveal), or removes ranks that no longer cover the supply. Returns
 * true where it wrote; false for a contract that is not ERC-721, and while tokens are missing or
 * untried. Ranks compare all tokens, so a part of them says nothing.
 */
async function rank(
	{ db }: TokenContext["core"],
	state: TokenState,
	{ isShown }: { isShown: boolean },
): Promise<boolean> {
	if (state.standard !== "erc721" || state.traited === 0) return false;
	if (!coversSupply(state.traited, state.supply)) {
		// The supply became known after the existing tokens had been taken for all.
		if (state.isRanked) await db.transaction((tx) => takeRanksBack(tx, state.id));
		return false;
	}
	if (state.untried > 0) return false;
	const tokens = await tokenTraits(db, state.id);
	const ranks = isShown && isRevealed(tokens) ? rankTokens(tokens) : [];
	await db.transaction((tx) => writeRanks(tx, state.id, ranks));
	return true;
}
