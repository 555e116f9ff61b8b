import { z } from "zod";
import type { QueueTask } from "#core/queue/QueueTask.ts";
import { PART_TIMEOUT_MS } from "#plugins/market-index/tokens/limits.ts";
import { floorTraits } from "#plugins/market-index/tokens/sql/floorTraits.ts";
import { type TokenState, tokenState } from "#plugins/market-index/tokens/sql/tokenState.ts";
import { writeProviderFloors } from "#plugins/market-index/tokens/sql/writeProviderFloors.ts";
import { storableTraits } from "#plugins/market-index/tokens/storableTraits.ts";
import type { TokenContext } from "#plugins/market-index/tokens/TokenContext.ts";
import {
	TOKEN_LANE,
	TRAIT_FLOORS_TASK,
	traitsJob,
} from "#plugins/market-index/tokens/tokenJobs.ts";
import { traitsDelayMs } from "#plugins/market-index/tokens/traitsDelayMs.ts";

const payload = z.object({ collectionId: z.int(), isNewBook: z.boolean().default(false) });

/**
 * Makes the task that finds the best ask for each value of each trait: from the stored order book,
 * and where that has no listing of a token with known traits, from the provider.
 */
export function traitFloorsTask(context: TokenContext): QueueTask<typeof payload> {
	const { core, provider } = context;
	return {
		name: TRAIT_FLOORS_TASK,
		payload,
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
