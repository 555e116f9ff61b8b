import { NAMES_AWAY_MS, NAMES_TIMEOUT_MS } from "#agent/limits.ts";
import type { Clock } from "#core/clock/Clock.ts";
import { createTimely } from "#core/db/createTimely.ts";
import type { Log } from "#core/log/Log.ts";
import {
	type KnownName,
	type KnownNames,
	NAMES_ASKED_MAX,
	type NameBook,
} from "#core/plugin/NameBook.ts";

/** Returns which groups of words are names; never throws. */
export type FindNames = (groups: readonly string[]) => Promise<KnownNames>;

/**
 * Makes the one lookup of names from the books of all plugins. A book that fails or is slow knows
 * nothing for a moment, and questions are read by their words alone then. A text that is a ticker
 * for one book and a collection for another is the ticker: issuers choose those, anybody the other.
 */
export function createNameFinder(
	books: readonly NameBook[],
	{ clock, log }: { clock: Clock; log: Log },
): FindNames {
	const asked = books.map((book) => {
		const onAway = (error: unknown) => log.warn("names cannot be looked up", { error });
		const times = { timeoutMs: NAMES_TIMEOUT_MS, awayMs: NAMES_AWAY_MS };
		return { book, timely: createTimely({ clock, ...times, onAway }) };
	});
	return async (groups) => {
		const found = new Map<string, KnownName>();
		if (groups.length === 0) return found;
		const some = groups.slice(0, NAMES_ASKED_MAX);
		const answers = await Promise.all(
			asked.map(({ book, timely }) =>
				timely.isAway() ? null : timely.ask(async () => book.find(some)),
			),
		);
		for (const [group, name] of answers.flatMap((answer) => [...(answer ?? [])])) {
			if (name.kind === "asset" || !found.has(group)) found.set(group, name);
		}
		return found;
	};
}
