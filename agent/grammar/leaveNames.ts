import type { Words } from "#agent/grammar/splitWords.ts";
import { placesOf, type Signs } from "#agent/grammar/topicSigns.ts";
import { roleOf } from "#agent/grammar/wordRoles.ts";

/** Takes words of a name from the topics, where something else shows what is asked. */
export function leaveNames(words: Words, found: Signs): void {
	const isTopic = placesOf(found);
	for (const at of isTopic) {
		if (!isOfName(words, at, isTopic)) continue;
		const isAsked = words.proper?.has(at)
			? [...isTopic].some((place) => !words.proper?.has(place))
			: [...found.values()].some((places) => !places.has(at));
		if (!isAsked) continue;
		for (const [command, places] of found) {
			if (places.delete(at) && places.size === 0) found.delete(command);
		}
	}
}

/** Returns true for a word beside a name that may be part of it: `rekt rats`, `Wonky Whales`. */
function isOfName(words: Words, at: number, isTopic: ReadonlySet<number>): boolean {
	const { low, isApart, proper } = words;
	const isOpen = (next: number) =>
		!isTopic.has(next) && next < low.length && roleOf(words, next) === "open";
	const isBefore = at > 0 && !isApart[at] && isOpen(at - 1);
	const isDescribed =
		at > 0 && !isApart[at] && !isTopic.has(at - 1) && roleOf(words, at - 1) === "before";
	const isBehind = !isApart[at + 1] && isOpen(at + 1);
	if (proper?.has(at)) return isBefore || isBehind;
	const word = low[at] ?? "";
	return (FIRST_WORDS.has(word) && isBehind) || (LAST_WORDS.has(word) && (isBefore || isDescribed));
}

/** Words of topics that names begin with, and that they end with. */
const FIRST_WORDS = new Set(
	"rekt degen degens moon book alpha bull hype meta bag bags dead tank tanks".split(" "),
);
const LAST_WORDS = new Set(
	(
		"whales whale tanks tank degens moon bags prints bank runners rippers movers winners cards " +
		"grails walls books movement"
	).split(" "),
);
