import type { Matched } from "#plugins/market-index/confirm/Matched.ts";

/**
 * Says whether two events have the same two parties, in either order: the stream names maker and
 * taker, and not the seller.
 */
export function isBetweenSame(
	a: Pick<Matched, "from" | "to">,
	b: Pick<Matched, "from" | "to">,
): boolean {
	return (a.from === b.from && a.to === b.to) || (a.from === b.to && a.to === b.from);
}
