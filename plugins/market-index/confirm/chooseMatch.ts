import { isBetweenSame } from "#plugins/market-index/confirm/isBetweenSame.ts";
import { isSameEvent } from "#plugins/market-index/confirm/isSameEvent.ts";
import type { Matched } from "#plugins/market-index/confirm/Matched.ts";

/** A stored event. */
export type Candidate = Matched & {
	onchainVerified: boolean;
	accepted: boolean;
	payload: object | null;
};

/**
 * Returns the stored event that a provider's event is about; null where there is none.
 *
 * Where a transaction has several (an ERC-1155 token bought from three sellers; a matched order and
 * its mirror) the accepted one is preferred, then the one between the same two parties, then one
 * without the provider's words. An event that only the provider told with other parties is another
 * event; what the chain told is complete for a transaction.
 */
export function chooseMatch<Stored extends Candidate>(
	told: Matched,
	stored: readonly Stored[],
	standard: "erc721" | "erc1155",
): Stored | null {
	const isWhole = (one: Stored) =>
		one.onchainVerified || standard === "erc721" || one.kind !== told.kind;
	let best: Stored | null = null;
	let bestWorth = -1;
	for (const one of stored) {
		if (!isSameEvent(told, one) || !(isWhole(one) || isBetweenSame(told, one))) continue;
		const worth = worthOf(told, one);
		if (worth > bestWorth) best = one;
		bestWorth = Math.max(worth, bestWorth);
	}
	return best;
}

function worthOf(told: Matched, one: Candidate): number {
	return (
		(one.onchainVerified ? 8 : 0) +
		(one.accepted ? 4 : 0) +
		(isBetweenSame(told, one) ? 2 : 0) +
		(one.payload === null ? 1 : 0)
	);
}
