import type { RankedTrait } from "#plugins/market-index/rank/RankedTrait.ts";

const NOT_TEXT = new Set(["number", "boost_number", "boost_percentage", "date"]);

/**
 * Says whether a trait is text, which is all that OpenRarity compares: nearly every token has a
 * number or a date of its own.
 */
export function isTextTrait({ displayType }: RankedTrait): boolean {
	return !displayType || !NOT_TEXT.has(displayType);
}
