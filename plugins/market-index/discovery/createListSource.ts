// Serves the provider's lists: the worker's copy, or one read for the request.

import type { Chain } from "#core/chain/Chain.ts";
import { Fault } from "#core/fault.ts";
import {
	ASKED_LIST_KEPT_MS,
	FILL_TIMEOUT_MS,
	FILLED_PER_PAGE_MAX,
	LIST_KEPT_MS,
	LIST_TIMEOUT_MS,
} from "#plugins/market-index/discovery/limits.ts";
import {
	type DiscoveryContext,
	fillStats,
	readProviderList,
} from "#plugins/market-index/discovery/providerLists.ts";
import {
	createFoundMemory,
	createProviderSearch,
	type ProviderSearch,
} from "#plugins/market-index/discovery/providerSearch.ts";
import {
	type DiscoveryList,
	type ListMode,
	namedRows,
	readList,
	storeList,
} from "#plugins/market-index/discovery/sql.ts";
import {
	type ListedRow,
	registerListed,
} from "#plugins/market-index/register/registerCollections.ts";

/** `isWarm`: the worker's list, for which no call is needed. */
type ListForPage = DiscoveryList & { isWarm: boolean };

/** A collection of a page, with its row of the provider's list, if any. */
type ShownRow = { id: number; listed: Pick<ListedRow, "slug" | "isShared"> | null };

/** The provider's part of the collections list. */
export type ListSource = {
	listFor(list: { chain: Chain; mode: ListMode }): Promise<ListForPage | null>;
	/**
	 * Does what the worker does for its lists, for a page without one: queues syncs of its
	 * collections, and reads floor and owners of the first few that lack them. Bounded in time; if
	 * the provider fails, figures are missing but the page is not.
	 */
	complete(rows: readonly ShownRow[]): Promise<void>;
	search: ProviderSearch;
	/** Queues syncs of the collections that a search showed. */
	found(collectionIds: readonly number[]): Promise<void>;
};

export function createListSource(context: DiscoveryContext): ListSource {
	const { core, provider } = context;
	return {
		listFor: (list) => listFor(context, list),
		async complete(shown) {
			if (!provider.isOn || shown.length === 0) return;
			const ids = shown.map(({ id }) => id);
			await context.discovered(ids);
			const known = new Map((await namedRows(core.db, ids)).map(({ id, slug }) => [id, slug]));
			// A collection that lanes saw first has no provider's name yet, but the list told one.
			const rows = shown.flatMap(({ id, listed }) => {
				const slug = listed?.slug ?? known.get(id);
				return slug === undefined || listed?.isShared ? [] : { id, slug };
			});
			await inTime(FILL_TIMEOUT_MS, "figures of a page's rows were not filled", (signal) =>
				fillStats(context, rows, { purpose: "view", signal, limit: FILLED_PER_PAGE_MAX }),
			);
		},
		search: createProviderSearch({ provider, ...core }),
		found: createFoundMemory(core.clock, context.discovered),
	};

	/** Returns the provider's answer if it comes in time; else null, with a line in the log. */
	async function inTime<Answer>(
		timeoutMs: number,
		message: string,
		ask: (signal: AbortSignal) => Promise<Answer>,
	): Promise<Answer | null> {
		const signal = AbortSignal.timeout(timeoutMs);
		try {
			return await ask(signal);
		} catch (error) {
			const isFault = error instanceof Fault;
			if (!isFault && !signal.aborted) throw error;
			// The adapter logs what the provider did.
			core.log[isFault ? "debug" : "warn"](message, { why: isFault ? error.code : "timeout" });
			return null;
		}
	}
}

/**
 * Returns the list for a page of a chain; null where there is none, and own rows must do.
 *
 * With the worker's list the provider is not asked. Otherwise only the newest collections are worth
 * a call: own rows rank by what the index saw, and cannot include what was just created.
 *
 * Throws `rate_limited` where the provider refuses that call; after any other of its faults there
 * is no list.
 */
async function listFor(
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

/**
 * Returns the first of each list, then the second of each: each list keeps its order, and none goes
 * last.
 */
export function interleave<Item>(lists: readonly (readonly Item[])[]): Item[] {
	const longest = Math.max(0, ...lists.map((list) => list.length));
	const mixed: Item[] = [];
	for (let place = 0; place < longest; place++) {
		for (const list of lists) {
			const item = list[place];
			if (item !== undefined) mixed.push(item);
		}
	}
	return mixed;
}
