import { normaliseTrait } from "#plugins/market-index/rank/normaliseTrait.ts";

/** How many tokens have a value of a trait. */
export type TraitTally = { type: string; value: string; tokens: number };

/** Counts that a token is scored against. */
export type CountedTraits = {
	supply: number;
	/** Tokens with each value, by name, all in the form in which OpenRarity compares them. */
	names: ReadonlyMap<string, { tokens: number; values: ReadonlyMap<string, number> }>;
	entropy: number;
};

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
