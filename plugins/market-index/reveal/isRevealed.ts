import type { RankedTrait } from "#plugins/market-index/rank/RankedTrait.ts";

/**
 * Says whether tokens differ. Before a reveal all show one document; ranking those would make the
 * first one "the rarest".
 */
export function isRevealed(tokens: readonly { traits: readonly RankedTrait[] }[]): boolean {
	const keyOf = (traits: readonly RankedTrait[]) =>
		JSON.stringify(traits.map(({ type, value }) => JSON.stringify([type, value])).sort());
	const [first, ...others] = tokens;
	if (!first) return false;
	const key = keyOf(first.traits);
	return others.some(({ traits }) => keyOf(traits) !== key);
}
