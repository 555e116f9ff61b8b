import type { Matched } from "#plugins/market-index/confirm/Matched.ts";

/** Which of the two gave is not asked: the stream tells maker and taker, and not who sold. */
export function isBetweenSame(
	a: Pick<Matched, "from" | "to">,
	b: Pick<Matched, "from" | "to">,
): boolean {
	return (a.from === b.from && a.to === b.to) || (a.from === b.to && a.to === b.from);
}
