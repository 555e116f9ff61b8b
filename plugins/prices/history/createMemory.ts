// Keeps rounds and decimals in memory, and says what the readers of feeds share.

import type { ChainRegistry } from "#core/chain/Chain.ts";
import { ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { Clock } from "#core/clock.ts";
import type { Database } from "#core/db/Database.ts";
import type { Core } from "#core/plugin/Core.ts";
import type { Priced, Prices, UsdRate } from "#plugins/prices/contract.ts";
import { type Feed, feedKey } from "#plugins/prices/feed.ts";
import {
	HEARTBEATS_MAX,
	HISTORY_MS,
	ROUNDS_PER_FEED_MAX,
	ROUNDS_PER_READ_MAX,
} from "#plugins/prices/limits.ts";
import { type RateSource, sameMoneyAs } from "#plugins/prices/pricesOver.ts";
import type { Round, RoundProblem } from "#plugins/prices/round.ts";
import { decimals, readBarriers, readRoundsAfter } from "#plugins/prices/sql/rounds.ts";

/** Every known round in memory, to be looked up by time. Feeds are named by their key. */
export type RoundBook = {
	/** Adds rounds in any order; one with a known id replaces it (a fork changed it). */
	add(feed: string, rounds: readonly Round[]): void;
	/** Sets the ids after which rounds are missing: how long those were valid is not known. */
	setGaps(gaps: ReadonlyMap<string, ReadonlySet<bigint>>): void;
	/** Returns the newest round at a time; null before the first, and within a gap. */
	at(feed: string, atMs: number): Round | null;
};

/** Holds this process's copy of the tables, from which every price is answered. */
export type Memory = RateSource & {
	/** Reads what was written since the last time. One call at a time. */
	refresh(): Promise<void>;
};

type Pages = { rounds: Round[]; ids: Map<bigint, Round> };

/** A span of time in which a price became known. */
export type Learned = Parameters<Parameters<Prices["onLearned"]>[0]>[0];

export type Span = Pick<Learned, "fromMs" | "toMs">;

/** Spans by feed. */
export type FeedSpans = Map<string, Span>;

export type PriceMetrics = {
	/** Counts an answer of a feed that cannot be a price. */
	rejected(reason: RoundProblem | "decimals"): void;
	/** Counts a failed poll of a chain's feeds. */
	failed(chain: string): void;
};

/** Holds what reading feeds needs. */
export type ReadOptions = Pick<Core, "db" | "clock" | "log" | "reached"> & {
	feeds: readonly Feed[];
	metrics: PriceMetrics;
	/** Called with what became known, after it was committed. */
	learned(spans: FeedSpans): Promise<void>;
};

const NONE: ReadonlySet<bigint> = new Set();

export function createMemory(options: {
	db: Database;
	clock: Clock;
	feeds: readonly Feed[];
}): Memory {
	const { db, clock, feeds } = options;
	const book = createRoundBook();
	const feedDecimals = new Map<string, number>();
	const tokenDecimals = new Map<string, number>();
	const byPriced = new Map(feeds.map((feed) => [nameOf(feed.priced), feed]));
	const ethFeeds = feeds.filter(({ isEth }) => isEth);
	let change = 0;
	let refreshing: Promise<void> = Promise.resolve();

	function rateOf(feed: Feed, atMs: number): UsdRate | null {
		const key = feedKey(feed);
		const places = feedDecimals.get(key);
		const currencyDecimals = feed.currencyDecimals ?? tokenDecimals.get(nameOf(feed.priced));
		if (places === undefined || currencyDecimals === undefined) return null;
		const round = book.at(key, atMs);
		if (!round || atMs - round.updatedAtMs > HEARTBEATS_MAX * feed.heartbeatMs) return null;
		const { answer, updatedAtMs } = round;
		return { answer, decimals: places, currencyDecimals, updatedAtMs };
	}

	async function refresh(): Promise<void> {
		for (
			let reads = 0;
			reads <= (feeds.length * ROUNDS_PER_FEED_MAX) / ROUNDS_PER_READ_MAX;
			reads++
		) {
			if ((await readPart()) < ROUNDS_PER_READ_MAX) return;
		}
	}

	/** Reads rounds and the gaps between them in one snapshot. */
	async function readPart(): Promise<number> {
		const since = new Date(clock.nowMs() - HISTORY_MS);
		const found = await db.transaction(async (tx) => {
			await tx.execute("set transaction isolation level repeatable read, read only");
			return {
				rounds: await readRoundsAfter(tx, { change, since, limit: ROUNDS_PER_READ_MAX }),
				barriers: await readBarriers(tx),
				feeds: await decimals.read(tx, "feed"),
				tokens: await decimals.read(tx, "token"),
			};
		});
		const byFeed = Map.groupBy(found.rounds, feedKey);
		for (const [key, rounds] of byFeed)
			book.add(
				key,
				rounds.map(({ round }) => round),
			);
		book.setGaps(found.barriers);
		for (const { chainId, address, decimals: places } of found.feeds) {
			feedDecimals.set(feedKey({ feedChainId: chainId, address }), places);
		}
		for (const { chainId, address, decimals: places } of found.tokens) {
			tokenDecimals.set(nameOf({ chainId, currency: address }), places);
		}
		change = found.rounds.at(-1)?.change ?? change;
		return found.rounds.length;
	}

	return {
		refresh() {
			refreshing = refreshing.catch(() => {}).then(refresh);
			return refreshing;
		},
		rateAt(priced, atMs) {
			const feed = byPriced.get(nameOf(priced));
			return feed ? rateOf(feed, atMs) : null;
		},
		ethAt(atMs) {
			for (const feed of ethFeeds) {
				const rate = rateOf(feed, atMs);
				if (rate) return rate;
			}
			return null;
		},
		has: (priced) => byPriced.has(nameOf(priced)),
		hasEth: () => ethFeeds.length > 0,
		tokenOf(chainId, symbol) {
			const named = feeds.find(({ priced, symbol: own }) => {
				return priced.chainId === chainId && own === symbol;
			});
			return named?.priced.currency ?? null;
		},
	};
}

export function createRoundBook(roundsMax = ROUNDS_PER_FEED_MAX): RoundBook {
	const books = new Map<string, Pages>();
	let gaps: ReadonlyMap<string, ReadonlySet<bigint>> = new Map();
	return {
		add(feed, added) {
			const book = books.get(feed) ?? { rounds: [], ids: new Map() };
			books.set(feed, book);
			for (const round of added) book.ids.set(round.id, round);
			book.rounds = [...book.ids.values()].sort(byTime);
			for (const old of book.rounds.splice(0, book.rounds.length - roundsMax)) {
				book.ids.delete(old.id);
			}
		},
		setGaps(found) {
			gaps = found;
		},
		at(feed, atMs) {
			const rounds = books.get(feed)?.rounds ?? [];
			const index = lastUpTo(rounds, atMs);
			const round = rounds[index];
			if (!round) return null;
			const isNewest = index === rounds.length - 1;
			return !isNewest && (gaps.get(feed) ?? NONE).has(round.id) ? null : round;
		},
	};
}

/**
 * Returns what became known of each priced currency by the feeds' spans: for a coin's wrapped form
 * the same as for the coin, for the same money on other chains as for its feed's, and for
 * everything when it is about ETH, the unit of all prices.
 */
export function learnedOf(
	feeds: readonly Feed[],
	spans: FeedSpans,
	chains: ChainRegistry,
): Learned[] {
	const ofEth = feeds.flatMap((feed) => (feed.isEth ? (spans.get(feedKey(feed)) ?? []) : []));
	return feeds.flatMap((feed) => {
		const own = spans.get(feedKey(feed));
		const all: Span[] = [...(own ? [own] : []), ...(feed.isEth ? [] : ofEth)];
		if (all.length === 0) return [];
		const fromMs = Math.min(...all.map((span) => span.fromMs));
		const toMs = Math.max(...all.map((span) => span.toMs));
		const same = sameMoneyAs(feed.priced, feed);
		const names = same.flatMap((priced) => namesOf(priced, chains));
		return names.map((priced) => ({ priced, fromMs, toMs }));
	});
}

function nameOf({ chainId, currency }: Priced): string {
	return `${chainId}:${currency}`;
}

/** Orders by time; of two rounds in one second the later one replaced the other. */
function byTime(a: Round, b: Round): number {
	if (a.updatedAtMs !== b.updatedAtMs) return a.updatedAtMs - b.updatedAtMs;
	return a.id < b.id ? -1 : 1;
}

/** Returns the index of the last round that is not later; -1 where all are. */
function lastUpTo(rounds: readonly Round[], atMs: number): number {
	let low = 0;
	let high = rounds.length;
	while (low < high) {
		const middle = (low + high) >>> 1;
		if ((rounds[middle]?.updatedAtMs ?? Number.POSITIVE_INFINITY) <= atMs) low = middle + 1;
		else high = middle;
	}
	return low - 1;
}

function namesOf(priced: Priced, chains: ChainRegistry): Priced[] {
	const wrapped = chains.byId(priced.chainId)?.wrappedNative ?? null;
	const isCoin = priced.currency === ZERO_ADDRESS;
	return isCoin && wrapped ? [priced, { ...priced, currency: wrapped }] : [priced];
}
