// Serves the provider's lists, the worker's copy or one read now, and searches the provider.

import { LRUCache } from "lru-cache";
import type { Chain } from "#core/chain/Chain.ts";
import type { Clock } from "#core/clock.ts";
import { Fault } from "#core/fault.ts";
import type { Log } from "#core/log.ts";
import { sleep } from "#core/time.ts";
import {
	ANSWER_KEPT_MS,
	ANSWERS_KEPT_MAX,
	ASKED_LIST_KEPT_MS,
	type DiscoveryContext,
	FILL_TIMEOUT_MS,
	FILLED_PER_PAGE_MAX,
	FOUND_EVERY_MS,
	FOUND_MAX,
	fillStats,
	LIST_KEPT_MS,
	LIST_TIMEOUT_MS,
	REFUSED_MAX_MS,
	readProviderList,
	SEARCH_TIMEOUT_MS,
	SEARCHED_MAX,
} from "#plugins/market-index/discovery/providerLists.ts";
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
import type { Provider, ProviderSearchHit } from "#plugins/provider/contract.ts";

/** Returns the provider's hits, bounded in time; none where it is off, away or refuses. */
export type ProviderSearch = (
	text: string,
	chainId: number | undefined,
) => Promise<readonly ProviderSearchHit[]>;

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

type Kept = { hits: readonly ProviderSearchHit[]; askedAtMs: number };

/** `isWarm`: the worker's list, for which no call is needed. */
type ListForPage = DiscoveryList & { isWarm: boolean };

/** A collection of a page, with its row of the provider's list, if any. */
type ShownRow = { id: number; listed: Pick<ListedRow, "slug" | "isShared"> | null };

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
 * Makes a function that queues found collections for a sync, unless this process did so a moment
 * ago. The database decides whether one is due; without this memory that would be a transaction for
 * each search.
 */
export function createFoundMemory(
	clock: Clock,
	discovered: (collectionIds: readonly number[]) => Promise<void>,
): (collectionIds: readonly number[]) => Promise<void> {
	const toldAtMs = new LRUCache<number, number>({ max: FOUND_MAX });
	return async (collectionIds) => {
		const nowMs = clock.nowMs();
		const news = collectionIds.filter((id) => {
			const ageMs = nowMs - (toldAtMs.get(id) ?? Number.NEGATIVE_INFINITY);
			return ageMs < 0 || ageMs >= FOUND_EVERY_MS;
		});
		if (news.length === 0) return;
		for (const id of news) toldAtMs.set(id, nowMs);
		try {
			await discovered(news);
		} catch (error) {
			for (const id of news) toldAtMs.delete(id);
			throw error;
		}
	};
}

/**
 * Makes a search of the provider: one call for all who ask the same meanwhile, and for half a
 * minute after.
 *
 * A call goes on when no request waits for it any longer: it was counted, and the next client gets
 * its answer. After a refusal no call is made until it is over, so that a crowd of searches does
 * not take the place of calls that others need.
 */
export function createProviderSearch(options: {
	provider: Pick<Provider, "isOn" | "search">;
	clock: Clock;
	log: Log;
	timeoutMs?: number;
}): ProviderSearch {
	const { provider, clock, log, timeoutMs = SEARCH_TIMEOUT_MS } = options;
	const answers = new LRUCache<string, Kept>({ max: ANSWERS_KEPT_MAX });
	const underWay = new Map<string, Promise<readonly ProviderSearchHit[]>>();
	let refusedUntilMs = 0;

	async function ask(text: string, chainId: number | undefined) {
		const asked = { purpose: "search", limit: SEARCHED_MAX } as const;
		const found = await provider.search(text, {
			...asked,
			...(chainId !== undefined && { chainId }),
		});
		return found.filter(({ isDisabled }) => !isDisabled);
	}

	/** Answers a search. It never rejects: if the provider fails, only its hits are missing. */
	async function answer(key: string, text: string, chainId: number | undefined) {
		const askedAtMs = clock.nowMs();
		try {
			const hits = await ask(text, chainId);
			answers.set(key, { hits, askedAtMs });
			return hits;
		} catch (error) {
			if (!(error instanceof Fault)) log.warn("the provider was not searched", { error });
			else noteRefusal(error);
			return [];
		} finally {
			underWay.delete(key);
		}
	}

	function noteRefusal({ code, members }: Fault): void {
		// The adapter logs what the provider did.
		log.debug("the provider was not searched", { why: code });
		const told = members["retryAfterMs"];
		if (code !== "rate_limited" || typeof told !== "number") return;
		refusedUntilMs = clock.nowMs() + Math.min(told, REFUSED_MAX_MS);
	}

	function isWithin(sinceMs: number, lengthMs: number): boolean {
		const ageMs = clock.nowMs() - sinceMs;
		return ageMs >= 0 && ageMs < lengthMs;
	}

	return async (text, chainId) => {
		if (!provider.isOn) return [];
		const asked = text.normalize("NFKC").toLowerCase().split(/\s+/u).join(" ").trim();
		const key = `${chainId ?? ""} ${asked}`;
		const kept = answers.get(key);
		if (kept && isWithin(kept.askedAtMs, ANSWER_KEPT_MS)) return kept.hits;
		let answering = underWay.get(key);
		if (!answering) {
			const leftMs = refusedUntilMs - clock.nowMs();
			// Longer than a wait can be: the clock was set back.
			if (leftMs > 0 && leftMs <= REFUSED_MAX_MS) return [];
			answering = answer(key, asked, chainId);
			underWay.set(key, answering);
		}
		const answered = new AbortController();
		const late = sleep(timeoutMs, answered.signal).then(() => []);
		const hits = await Promise.race([answering, late]);
		answered.abort();
		return hits;
	};
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
