import type { Words } from "#agent/grammar/splitWords.ts";

/** Returns the words of one part of a text. */
export function slice(words: Words, from: number, to: number): Words {
	const part = <T>(list: T[]) => list.slice(from, to);
	const { raw, low, starts, kinds, isApart, proper } = words;
	const own = [...(proper ?? [])].map((place) => place - from);
	const lists = { raw: part(raw), low: part(low), starts: part(starts), kinds: part(kinds) };
	return { ...words, ...lists, isApart: part(isApart), proper: new Set(own) };
}

/** Splits words at the signs between them. */
export function sentencesOf(words: Words): Words[] {
	return startsOf(words).map((from, n, starts) => {
		return slice(words, from, starts[n + 1] ?? words.low.length);
	});
}

/** Returns the places at which sentences begin. */
export function startsOf({ low, isApart }: Words): number[] {
	return [...low.keys()].filter((at) => at === 0 || isApart[at]);
}

/** Returns one text of two parts. */
export function joined(one: Words, other: Words): Words {
	const length = one.low.length;
	const proper = [...(one.proper ?? []), ...[...(other.proper ?? [])].map((at) => at + length)];
	return {
		kind: "words",
		raw: [...one.raw, ...other.raw],
		low: [...one.low, ...other.low],
		starts: [...one.starts, ...other.starts],
		kinds: [...one.kinds, ...other.kinds],
		isApart: [...one.isApart, ...other.isApart],
		hasSigns: false,
		proper: new Set(proper),
	};
}
