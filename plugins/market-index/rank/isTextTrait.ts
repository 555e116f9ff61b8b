import type { RankedTrait } from "#plugins/market-index/rank/RankedTrait.ts";

const NOT_TEXT = new Set(["number", "boost_number", "boost_percentage", "date"]);

/** OpenRarity compares text: of a number or a date nearly every token has one of its own. */
export function isTextTrait({ displayType }: RankedTrait): boolean {
	return !displayType || !NOT_TEXT.has(displayType);
}
