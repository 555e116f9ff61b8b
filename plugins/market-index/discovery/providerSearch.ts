// Searches the provider, and queues found collections for a sync.

import { LRUCache } from "lru-cache";
import type { Clock } from "#core/clock.ts";
import { Fault } from "#core/fault.ts";
import type { Log } from "#core/log.ts";
import { sleep } from "#core/time.ts";
import {
	ANSWER_KEPT_MS,
	ANSWERS_KEPT_MAX,
	FOUND_EVERY_MS,
	FOUND_MAX,
	REFUSED_MAX_MS,
	SEARCH_TIMEOUT_MS,
	SEARCHED_MAX,
} from "#plugins/market-index/discovery/limits.ts";
import type { Provider, ProviderSearchHit } from "#plugins/provider/contract.ts";

/** Returns the provider's hits, bounded in time; none where it is off, away or refuses. */
export type ProviderSearch = (
	text: string,
	chainId: number | undefined,
) => Promise<readonly ProviderSearchHit[]>;

type Kept = { hits: readonly ProviderSearchHit[]; askedAtMs: number };

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

	/** Never rejects: if the provider fails, only its hits are missing. */
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
