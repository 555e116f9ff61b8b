import { ROUNDS_PER_FEED_MAX } from "#plugins/prices/limits.ts";
import type { Round } from "#plugins/prices/round.ts";

/** Every known round in memory, to be looked up by time. Feeds are named by their key. */
export type RoundBook = {
	/** Adds rounds in any order; one with a known id replaces it (a fork changed it). */
	add(feed: string, rounds: readonly Round[]): void;
	/** Sets the ids after which rounds are missing: how long those were valid is not known. */
	setGaps(gaps: ReadonlyMap<string, ReadonlySet<bigint>>): void;
	/** Returns the newest round at a time; null before the first, and within a gap. */
	at(feed: string, atMs: number): Round | null;
};

type Pages = { rounds: Round[]; ids: Map<bigint, Round> };

const NONE: ReadonlySet<bigint> = new Set();

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
