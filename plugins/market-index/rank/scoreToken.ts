// Compares traits as OpenRarity does, and scores a token that came after the ranking. Stored
// scores are those of rankTokens.ts.

/** A trait as far as rarity is concerned. */
export type RankedTrait = {
	type: string;
	value: string;
	/** The kind of a numeric trait. */
	displayType?: string | null | undefined;
};

/** Counts the tokens that have a value of a trait. */
export type TraitTally = { type: string; value: string; tokens: number };

/** Counts that a token is scored against. */
type CountedTraits = {
	supply: number;
	/** Tokens with each value, by name, all in the form in which OpenRarity compares them. */
	names: ReadonlyMap<string, { tokens: number; values: ReadonlyMap<string, number> }>;
	entropy: number;
};

/**
 * Characters that Python's `str.strip` removes. `trim` also removes U+FEFF, and keeps U+001C to
 * U+001F and U+0085: traits that differ in those alone would be ranked differently.
 */
const EDGES = new Set([
	..."\t\n\v\f\r\u001c\u001d\u001e\u001f \u0085\u00a0\u1680",
	..."\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a",
	..."\u2028\u2029\u202f\u205f\u3000",
]);

const NOT_TEXT = new Set(["number", "boost_number", "boost_percentage", "date"]);

/**
 * The trait that the method adds to every token: its number of traits with a value. A token's own
 * trait of this name is ignored.
 */
export const traitCountName = "meta_trait:trait_count";

/**
 * Scores one token against counts that were made without it. A trait that was never counted adds
 * nothing: by the formula it would be infinitely rare, and a misspelled one would win.
 */
export function scoreToken(traits: readonly RankedTrait[], counted: CountedTraits): number {
	const own = textTraits(traits);
	let content = 0;
	for (const [name, { tokens, values }] of counted.names) {
		const value = own.get(name);
		const count = value === undefined ? counted.supply - tokens : (values.get(value) ?? 0);
		// More than the number of tokens is a miscount, and adds nothing.
		if (count > 0 && count < counted.supply) content += Math.log2(counted.supply / count);
	}
	return content / (counted.entropy || 1);
}

/**
 * Prepares stored counts for scoring tokens that came after the last ranking. The method's own
 * trait (how many traits a token has) takes part only where it was counted too.
 */
export function countedTraits(supply: number, tallies: readonly TraitTally[]): CountedTraits {
	const names = new Map<string, { tokens: number; values: Map<string, number> }>();
	for (const { type, value, tokens } of tallies) {
		const name = normaliseTrait(type);
		const known = names.get(name) ?? { tokens: 0, values: new Map<string, number>() };
		names.set(name, known);
		const text = normaliseTrait(value);
		known.tokens += tokens;
		known.values.set(text, (known.values.get(text) ?? 0) + tokens);
	}
	let entropy = 0;
	const weigh = (count: number) => {
		if (count > 0 && supply > 0) entropy += (count / supply) * Math.log2(supply / count);
	};
	for (const { tokens, values } of names.values()) {
		for (const count of values.values()) weigh(count);
		weigh(supply - tokens);
	}
	return { supply, names, entropy };
}

/** Returns a name or a value as OpenRarity compares it: lower case, no surrounding blanks. */
export function normaliseTrait(text: string): string {
	let start = 0;
	let end = text.length;
	while (start < end && EDGES.has(text.charAt(start))) start++;
	while (end > start && EDGES.has(text.charAt(end - 1))) end--;
	return text.slice(start, end).toLowerCase();
}

/**
 * Says whether a trait is text, which is all that OpenRarity compares: nearly every token has a
 * number or a date of its own.
 */
export function isTextTrait({ displayType }: RankedTrait): boolean {
	return !displayType || !NOT_TEXT.has(displayType);
}

function textTraits(traits: readonly RankedTrait[]): Map<string, string> {
	const byName = new Map<string, string>();
	for (const trait of traits) {
		if (isTextTrait(trait)) byName.set(normaliseTrait(trait.type), normaliseTrait(trait.value));
	}
	byName.delete(traitCountName);
	let says = 0;
	for (const value of byName.values()) if (value !== "" && value !== "none") says++;
	return byName.set(traitCountName, String(says));
}
