import type { RankedTrait } from "#plugins/market-index/rank/RankedTrait.ts";

/**
 * Whether tokens differ. Before a reveal all show one document; of those the first in line would be
 * "the rarest".
 */
export function isRevealed(tokens: readonly { traits: readonly RankedTrait[] }[]): boolean {
	const keyOf = (traits: readonly RankedTrait[]) =>
		JSON.stringify(traits.map(({ type, value }) => JSON.stringify([type, value])).sort());
	const [first, ...others] = tokens;
	if (!first) return false;
	const key = keyOf(first.traits);
	return others.some(({ traits }) => keyOf(traits) !== key);
}
