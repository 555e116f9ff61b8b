// Counts a collection's traits, finds their floors, ranks tokens, and notices reveals.

import { z } from "zod";
import type { Core } from "#core/plugin/Core.ts";
import type { QueueTask } from "#core/queue.ts";
import { rankTokens } from "#plugins/market-index/rank/rankTokens.ts";
import {
	isRevealed,
	moveReveal,
	type RevealEvent,
	type RevealReading,
	type RevealState,
	readingOf,
} from "#plugins/market-index/reveal.ts";
import {
	PART_TIMEOUT_MS,
	REREAD_LIFE_MS,
	REREAD_WAIT_MS,
	type TokenContext,
} from "#plugins/market-index/tokens/model.ts";
import {
	writeProviderCounts,
	writeProviderFloors,
} from "#plugins/market-index/tokens/sql/providerTokens.ts";
import {
	isUnmoved,
	revealSample,
	takeRanksBack,
	writeRanks,
} from "#plugins/market-index/tokens/sql/ranks.ts";
import { type TokenState, tokenState } from "#plugins/market-index/tokens/sql/tokens.ts";
import {
	countTraits,
	floorTraits,
	noteTraits,
	tokenTraits,
} from "#plugins/market-index/tokens/sql/traits.ts";
import { coversSupply, storableTraits } from "#plugins/market-index/tokens/storable.ts";
import {
	TOKEN_LANE,
	TRAIT_FLOORS_TASK,
	TRAITS_TASK,
	traitFloorsJob,
	traitsDelayMs,
	traitsJob,
} from "#plugins/market-index/tokens/tokenJobs.ts";

const floorsPayload = z.object({ collectionId: z.int(), isNewBook: z.boolean().default(false) });

const traitsPayload = z.object({ collectionId: z.int(), forced: z.boolean().default(false) });

/**
 * Makes the task that counts a collection's traits, and ranks its tokens where ranks are useful.
 */
export function traitsTask(context: TokenContext): QueueTask<typeof traitsPayload> {
	const { core } = context;
	return {
		name: TRAITS_TASK,
		payload: traitsPayload,
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
			const isShown = revealState !== "placeholder";
			const isRanked = await rank(core, { ...state, revealState }, { isShown });
			await noteTraits(core.db, { collectionId, at: new Date(nowMs), isRanked });
			await core.db.transaction((tx) => core.queue.add(tx, [traitFloorsJob(collectionId)]));
		},
	};
}

/**
 * Makes the task that finds the best ask for each value of each trait: from the stored order book,
 * and where that has no listing of a token with known traits, from the provider.
 */
export function traitFloorsTask(context: TokenContext): QueueTask<typeof floorsPayload> {
	const { core, provider } = context;
	return {
		name: TRAIT_FLOORS_TASK,
		payload: floorsPayload,
		// Enough to outlast a minute without calls to the provider.
		attemptsMax: 8,
		timeoutMs: PART_TIMEOUT_MS,
		lane: TOKEN_LANE,
		async run({ collectionId, isNewBook }, { signal }) {
			const state = await tokenState(core.db, collectionId);
			if (!state) return;
			const at = new Date(core.clock.nowMs());
			const floored = { collectionId, at };
			const { listed } = await core.db.transaction((tx) => floorTraits(tx, floored));
			if (listed > 0) return;
			if (isNewBook && state.traited === 0) {
				// Only the provider knows the tokens' traits: it is asked together with the counts.
				const delayMs = traitsDelayMs(state, "done", at.getTime());
				const later = traitsJob(collectionId, { delayMs, keepsTime: true });
				if (provider.isOn) await core.db.transaction((tx) => core.queue.add(tx, [later]));
				return;
			}
			const floors = isNewBook ? [] : await readProviderFloors(context, state, signal);
			await core.db.transaction((tx) => writeProviderFloors(tx, collectionId, floors));
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
 * Moves a collection's reveal state by what is stored of its tokens, and returns the state. This is
 * for collections that are not watched: their tokens are read when they are minted, and again after
 * a message that they changed.
 */
async function settleReveal(
	{ db, clock, log }: Pick<Core, "db" | "clock" | "log">,
	state: TokenState,
): Promise<RevealState> {
	const reading = readingOf(await revealSample(db, state.id));
	const event = eventOf(state, reading);
	if (event === null) return state.revealState;
	const at = new Date(clock.nowMs());
	const collectionId = state.id;
	const moved = await db.transaction((tx) => moveReveal(tx, { collectionId, event, at }));
	if (moved) log.info("a collection's reveal state moved", { contract: state.address, ...moved });
	return moved?.to ?? state.revealState;
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
	return db.transaction(async (tx) => {
		// A reveal that was withdrawn since took its ranks with it: these are of the same one.
		if (!(await isUnmoved(tx, state))) return false;
		await writeRanks(tx, state.id, ranks);
		return true;
	});
}

function eventOf(state: TokenState, reading: RevealReading): RevealEvent | null {
	if (reading === "hidden") return state.revealState === "placeholder" ? null : "looks_hidden";
	if (reading !== "shown" || state.revealState === "revealed") return null;
	if (state.revealState === "unknown") return "looks_shown";
	// While many are still hidden, a rank would be among the revealed ones only.
	const all = state.supply ?? String(state.tokens);
	return state.untried === 0 && coversSupply(state.shown, all) ? "covered" : null;
}

async function readProviderFloors(
	{ core, provider, prices }: TokenContext,
	{ chainId, providerSlug }: TokenState,
	signal: AbortSignal,
): Promise<{ type: string; value: string; floor: bigint }[]> {
	if (!provider.isOn || providerSlug === null) return [];
	const told = await provider.traitFloors(providerSlug, { purpose: "background", signal });
	const nowMs = core.clock.nowMs();
	return (told ?? []).flatMap(({ type, value, floor, symbol }) => {
		// The provider's 0 means a floor that it has not read.
		const native = floor > 0 ? prices.nativeOfSymbol(chainId, symbol, floor, nowMs) : null;
		if (native === null) return [];
		return storableTraits([{ type, value }]).map((trait) => ({ ...trait, floor: native }));
	});
}
