import type { Chain } from "#core/chain/Chain.ts";
import { Fault } from "#core/fault/Fault.ts";
import type { DiscoveryContext } from "#plugins/market-index/discovery/DiscoveryContext.ts";
import type { ListMode } from "#plugins/market-index/discovery/DiscoveryList.ts";
import { fillStats } from "#plugins/market-index/discovery/fillStats.ts";
import {
	FILL_TIMEOUT_MS,
	FILLED_PER_PAGE_MAX,
	SEARCH_TIMEOUT_MS,
	SEARCHED_MAX,
} from "#plugins/market-index/discovery/limits.ts";
import { type ListForPage, listFor } from "#plugins/market-index/discovery/listFor.ts";
import { namedRows } from "#plugins/market-index/discovery/sql/namedRows.ts";
import type { ProviderSearchHit } from "#plugins/provider/contract.ts";

/** The provider's side of the collections list. */
export type ListSource = {
	listFor(list: { chain: Chain; mode: ListMode }): Promise<ListForPage | null>;
	/**
	 * What the worker does for its lists, for a page that had to do without one: its collections are
	 * put in line to be synced, and the first few without floor and owners are asked about. Bounded
	 * in time; a provider that fails costs figures and not the page.
	 */
	complete(collectionIds: readonly number[]): Promise<void>;
	/** What the provider finds, bounded in time; nothing where it is off or away. */
	search(text: string, chainId: number | undefined): Promise<ProviderSearchHit[]>;
	/** A search showed these: they are put in line to be synced. */
	found(collectionIds: readonly number[]): Promise<void>;
};

export function createListSource(context: DiscoveryContext): ListSource {
	const { core, provider } = context;
	return {
		listFor: (list) => listFor(context, list),
		async complete(collectionIds) {
			if (!provider.isOn || collectionIds.length === 0) return;
			await context.discovered(collectionIds);
			const rows = await namedRows(core.db, collectionIds);
			await inTime(FILL_TIMEOUT_MS, "figures of a page's rows were not filled", (signal) =>
				fillStats(context, rows, { purpose: "request", signal, limit: FILLED_PER_PAGE_MAX }),
			);
		},
		async search(text, chainId) {
			if (!provider.isOn) return [];
			const asked = { purpose: "request", limit: SEARCHED_MAX } as const;
			const hits = await inTime(SEARCH_TIMEOUT_MS, "the provider was not searched", (signal) =>
				provider.search(text, { ...asked, signal, ...(chainId !== undefined && { chainId }) }),
			);
			return (hits ?? []).filter(({ isDisabled }) => !isDisabled);
		},
		found: (collectionIds) => context.discovered(collectionIds),
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
			core.log.warn(message, { why: isFault ? error.code : "timeout" });
			return null;
		}
	}
}
