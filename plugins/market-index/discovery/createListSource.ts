import type { Chain } from "#core/chain/Chain.ts";
import { Fault } from "#core/fault/Fault.ts";
import { createFoundMemory } from "#plugins/market-index/discovery/createFoundMemory.ts";
import {
	createProviderSearch,
	type ProviderSearch,
} from "#plugins/market-index/discovery/createProviderSearch.ts";
import type { DiscoveryContext } from "#plugins/market-index/discovery/DiscoveryContext.ts";
import type { ListMode } from "#plugins/market-index/discovery/DiscoveryList.ts";
import { fillStats } from "#plugins/market-index/discovery/fillStats.ts";
import { FILL_TIMEOUT_MS, FILLED_PER_PAGE_MAX } from "#plugins/market-index/discovery/limits.ts";
import { type ListForPage, listFor } from "#plugins/market-index/discovery/listFor.ts";
import { namedRows } from "#plugins/market-index/discovery/sql/namedRows.ts";
import type { ListedRow } from "#plugins/market-index/register/ListedRow.ts";

/** A collection of a page, with its row of the provider's list, if any. */
export type ShownRow = { id: number; listed: Pick<ListedRow, "slug" | "isShared"> | null };

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
