import type { CountedTraits } from "#plugins/market-index/rank/countedTraits.ts";
import { isTextTrait } from "#plugins/market-index/rank/isTextTrait.ts";
import { normaliseTrait } from "#plugins/market-index/rank/normaliseTrait.ts";
import type { RankedTrait } from "#plugins/market-index/rank/RankedTrait.ts";
import { traitCountName } from "#plugins/market-index/rank/traitCountName.ts";

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
