import type { Words } from "#agent/grammar/splitWords.ts";
import { isChatWord } from "#agent/grammar/wordRoles.ts";

/**
 * Finds words that are written like a name, with a capital, in a text that is written in small
 * letters otherwise. A word that begins a sentence counts only in front of another one.
 */
export function properPlaces(
	{ raw, low, kinds, isApart }: Words,
	isKnown: (low: string) => boolean,
): ReadonlySet<number> | undefined {
	if (!raw.some(isCapital)) return undefined;
	const proper = new Set<number>();
	let small = 0;
	for (let at = raw.length - 1; at >= 0; at--) {
		const [typed = "", word = ""] = [raw[at], low[at]];
		if (kinds[at] !== "word") continue;
		const isFirst = at === 0 || isApart[at] === true;
		if (!isCapital(typed)) {
			if (/^[a-z]/.test(typed)) small += 1;
		} else if (isChatWord(word) || (isKnown(word) && typed === typed.toUpperCase())) {
			// Somebody Who Writes All Words Like This names nothing by it.
			if (!isFirst && SMALL.has(word)) return undefined;
		} else if (!isFirst || proper.has(at + 1)) proper.add(at);
	}
	return small >= SMALL_MIN && proper.size > 0 ? proper : undefined;
}

/** Looks at the first letter only, as every text passes here. */
function isCapital(word: string): boolean {
	const first = word.charCodeAt(0);
	return first >= 65 && first <= 90;
}

const SMALL = new Set("the of is are what for a in on and to how does did at".split(" "));
const SMALL_MIN = 2;
