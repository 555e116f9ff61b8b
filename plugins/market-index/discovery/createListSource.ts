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

/** A collection of a page, and the row of the provider's list that it stands for, if any. */
export type ShownRow = { id: number; listed: Pick<ListedRow, "slug" | "isShared"> | null };

/** The provider's side of the collections list. */
export type ListSource = {
	listFor(list: { chain: Chain; mode: ListMode }): Promise<ListForPage | null>;
	/**
	 * What the worker does for its lists, for a page that had to do without one: its collections are
	 * put in line to be synced, and the first few without floor and owners are asked about. Bounded
	 * in time; a provider that fails costs figures and not the page.
	 */
	complete(rows: readonly ShownRow[]): Promise<void>;
	search: ProviderSearch;
	/** A search showed these: they are put in line to be synced. */
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
			// What the lanes saw first has no name of the provider's yet, but its list told one.
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

	/** What the provider answers in time; null, with a line in the log, where it does not. */
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
			// What the provider did is told by its adapter.
			core.log[isFault ? "debug" : "warn"](message, { why: isFault ? error.code : "timeout" });
			return null;
		}
	}
}
