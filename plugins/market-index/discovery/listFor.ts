import type { Chain } from "#core/chain/Chain.ts";
import { Fault } from "#core/fault/Fault.ts";
import type { DiscoveryContext } from "#plugins/market-index/discovery/DiscoveryContext.ts";
import type { DiscoveryList, ListMode } from "#plugins/market-index/discovery/DiscoveryList.ts";
import {
	ASKED_LIST_KEPT_MS,
	LIST_KEPT_MS,
	LIST_TIMEOUT_MS,
} from "#plugins/market-index/discovery/limits.ts";
import { readProviderList } from "#plugins/market-index/discovery/readProviderList.ts";
import { readList } from "#plugins/market-index/discovery/sql/readList.ts";
import { storeList } from "#plugins/market-index/discovery/sql/storeList.ts";
import { registerListed } from "#plugins/market-index/register/registerListed.ts";

/** `isWarm`: the worker's list, for which no call is needed. */
export type ListForPage = DiscoveryList & { isWarm: boolean };

/**
 * Returns the list for a page of a chain; null where there is none, and own rows must do.
 *
 * With the worker's list the provider is not asked. Otherwise only the newest collections are worth
 * a call: own rows rank by what the index saw, and cannot include what was just created.
 *
 * Throws `rate_limited` where the provider refuses that call; after any other of its faults there
 * is no list.
 */
export async function listFor(
	context: DiscoveryContext,
	{ chain, mode }: { chain: Chain; mode: ListMode },
): Promise<ListForPage | null> {
	const { core, provider } = context;
	const nowMs = core.clock.nowMs();
	const key = { chainId: chain.id, mode };
	const worked = { nowMs, maxAgeMs: LIST_KEPT_MS };
	const warm = await readList(core.db, { ...key, by: "worker" }, worked);
	if (warm) return { ...warm, isWarm: true };
	if (mode !== "new" || !provider.isOn) return null;
	const asked = { ...key, by: "asked" } as const;
	const kept = await readList(core.db, asked, { nowMs, maxAgeMs: ASKED_LIST_KEPT_MS });
	if (kept) return { ...kept, isWarm: false };
	const signal = AbortSignal.timeout(LIST_TIMEOUT_MS);
	try {
		const rows = await readProviderList(provider, key, { purpose: "view", signal });
		const answered = context.answered.map(({ id }) => id);
		await registerListed(core, answered, rows);
		const list = { rows, refreshedAtMs: core.clock.nowMs() };
		await storeList(core.db, asked, list);
		return { ...list, isWarm: false };
	} catch (error) {
		const isFault = error instanceof Fault;
		if (isFault ? error.code === "rate_limited" : !signal.aborted) throw error;
		const why = isFault ? error.code : "timeout";
		// The adapter logs what the provider did.
		core.log[isFault ? "debug" : "warn"]("the provider's newest collections were not read", {
			why,
		});
		return null;
	}
}
