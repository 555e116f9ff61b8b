import { type InternedTraits, internTraits } from "#plugins/market-index/rank/internTraits.ts";
import type { RankedTrait } from "#plugins/market-index/rank/RankedTrait.ts";

export type RankedToken<Id> = { id: Id; score: number; rank: number };

/** Scores closer than this, relative to the larger one, are equal. */
const SAME_SCORE = 1e-9;

/**
 * Ranks tokens by OpenRarity (open-rarity f2bc4d8b): information content of a token's traits, and
 * of those it lacks, over the collection's entropy. Tokens with more unique traits come first, then
 * those with a higher score; equal scores share a rank and the next is skipped (1, 2, 2, 4). Rarest
 * first; ties keep their given order.
 *
 * @example
 * const [rarest] = rankTokens([{ id: 7n, traits: [{ type: "Hat", value: "Red" }] }]);
 */
export function rankTokens<Id>(
	tokens: readonly { id: Id; traits: readonly RankedTrait[] }[],
): RankedToken<Id>[] {
	const interned = internTraits(tokens);
	const { scores, uniques } = scoresOf(interned, tokens.length);
	const order = Array.from(tokens.keys()).sort((a, b) => {
		return (uniques[b] ?? 0) - (uniques[a] ?? 0) || (scores[b] ?? 0) - (scores[a] ?? 0);
	});
	const ranked: RankedToken<Id>[] = [];
	let before: RankedToken<Id> | null = null;
	for (let place = 0; place < order.length; place++) {
		const index = order[place] ?? 0;
		const token = tokens[index];
		if (!token) continue;
		const score = scores[index] ?? 0;
		const rank: number = before && isSame(score, before.score) ? before.rank : place + 1;
		before = { id: token.id, score, rank };
		ranked.push(before);
	}
	return ranked;
}

function isSame(a: number, b: number): boolean {
	return a === b || Math.abs(a - b) <= SAME_SCORE * Math.max(Math.abs(a), Math.abs(b));
}

/**
 * Scores tokens, each starting from the score of a token without any trait: the work is one step
 * for each existing trait, and not one for each name.
 */
function scoresOf(interned: InternedTraits, supply: number) {
	const { starts, values, nameOf, valueCounts, nameCounts } = interned;
	const bits = (count: number) => (count === 0 ? 0 : Math.log2(supply / count));
	let entropy = 0;
	const weigh = (count: number) => {
		entropy += (count / supply) * bits(count);
	};
	const lacking = nameCounts.map((count) => bits(supply - count));
	for (const count of valueCounts) weigh(count);
	for (const count of nameCounts) weigh(supply - count);
	let base = 0;
	for (const amount of lacking) base += amount;
	const gains = valueCounts.map((count, value) => {
		return bits(count) - (lacking[nameOf[value] ?? 0] ?? 0);
	});

	const scores = new Float64Array(supply);
	const uniques = new Int32Array(supply);
	for (let index = 0; index < supply; index++) {
		let content = base;
		let unique = 0;
		for (let at = starts[index] ?? 0; at < (starts[index + 1] ?? 0); at++) {
			const value = values[at] ?? 0;
			content += gains[value] ?? 0;
			if (valueCounts[value] === 1) unique++;
		}
		scores[index] = content / (entropy || 1);
		uniques[index] = unique;
	}
	return { scores, uniques };
}
