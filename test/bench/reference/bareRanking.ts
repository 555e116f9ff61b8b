type Token = { id: string; traits: readonly { type: string; value: string }[] };

/**
 * Ranks by information content with the least work: a map from pairs to their numbers of tokens, a
 * sum of logarithms each, a sort. Spellings are not normalised, missing traits do not count, no
 * rank is shared.
 */
export function bareRanking(tokens: readonly Token[]): { id: string; score: number }[] {
	const counts = new Map<string, Map<string, number>>();
	for (const { traits } of tokens) {
		for (const { type, value } of traits) {
			const values = counts.get(type) ?? new Map<string, number>();
			counts.set(type, values);
			values.set(value, (values.get(value) ?? 0) + 1);
		}
	}
	const scored = tokens.map(({ id, traits }) => {
		let score = 0;
		for (const { type, value } of traits) {
			score += Math.log2(tokens.length / (counts.get(type)?.get(value) ?? 1));
		}
		return { id, score };
	});
	return scored.sort((a, b) => b.score - a.score);
}
