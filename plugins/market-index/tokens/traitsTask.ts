import { z } from "zod";
import type { QueueTask } from "#core/queue/QueueTask.ts";
import { rankTokens } from "#plugins/market-index/rank/rankTokens.ts";
import { coversSupply } from "#plugins/market-index/tokens/coversSupply.ts";
import { isRevealed } from "#plugins/market-index/tokens/isRevealed.ts";
import { PART_TIMEOUT_MS } from "#plugins/market-index/tokens/limits.ts";
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

/** Counts a collection's traits, and ranks its tokens where ranks mean something. */
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
			const delayMs = forced ? 0 : traitsDelayMs(state, "done", nowMs);
			if (delayMs > 0) {
				const later = traitsJob(collectionId, { delayMs, keepsTime: true });
				await core.db.transaction((tx) => core.queue.add(tx, [later]));
				return;
			}
			if (state.traited > 0) await core.db.transaction((tx) => countTraits(tx, collectionId));
			else await countByProvider(context, state, signal);
			const isRanked = await rank(core, state);
			await noteTraits(core.db, { collectionId, at: new Date(nowMs), isRanked });
			await core.db.transaction((tx) => core.queue.add(tx, [traitFloorsJob(collectionId)]));
		},
	};
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
 * Ranks, or takes ranks back that mean nothing any more; false where it left them as they were. The
 * method is for collections of single tokens, and compares all there are: not before the reveal,
 * and not while many are missing.
 */
async function rank({ db }: TokenContext["core"], state: TokenState): Promise<boolean> {
	if (state.standard !== "erc721" || state.traited === 0) return false;
	if (!coversSupply(state.traited, state.supply)) {
		// The supply came to be known after what was there had been taken for all.
		if (state.isRanked) await db.transaction((tx) => takeRanksBack(tx, state.id));
		return false;
	}
	if (state.untried > 0) return false;
	const tokens = await tokenTraits(db, state.id);
	const isShown = state.revealState !== "placeholder" && isRevealed(tokens);
	const ranks = isShown ? rankTokens(tokens) : [];
	await db.transaction((tx) => writeRanks(tx, state.id, ranks));
	return true;
}
