import type { NonceQueue } from "#plugins/wallets/submission/NonceQueue.ts";

/** What a node says of an account: transactions mined, and those with what waits in its pool. */
export type NonceCounts = { mined: number; pending: number };

export type NonceChoice =
	| { kind: "nonce"; nonce: number }
	/** Something below the next free nonce may or may not have left: nothing follows it. */
	| { kind: "in_doubt"; nonce: number }
	/** The node names transactions that we do not know of: believed once it is confirmed. */
	| { kind: "unproven" };

/** Nobody else sends so many for a wallet of ours between two answers of a node. */
const CONFIRMED_GROWTH_MAX = 100;

/**
 * Picks the nonce of a wallet's next transaction: the lowest that nothing holds. So gaps below what
 * was sent are filled first, by whatever is sent next.
 *
 * A node that counts more than we sent is believed once that is `confirmed`: the count of mined
 * transactions that was read in an older block said so too. What only waits in a pool is waited
 * for. A node's word alone would open a gap that everything after it hangs on. A wallet for which
 * we never sent starts from the node's count.
 */
export function chooseNonce(
	queue: Pick<NonceQueue, "held" | "finalCount" | "ownCount">,
	counts: NonceCounts,
	{ confirmed }: { confirmed: number | null },
): NonceChoice {
	const { held, finalCount, ownCount } = queue;
	if (ownCount === null) return { kind: "nonce", nonce: Math.max(counts.mined, counts.pending) };
	if (counts.mined > ownCount && !isConfirmed(counts.mined, { confirmed, ownCount })) {
		return { kind: "unproven" };
	}
	// A node that counts less than is final is behind.
	const start = Math.max(counts.mined, finalCount);
	const taken = new Set(held.map(({ nonce }) => nonce));
	let nonce = start;
	while (taken.has(nonce)) nonce++;
	const doubt = held.find((one) => {
		const isInDoubt = one.state === "doubtful" || one.state === "dropped";
		return isInDoubt && one.nonce >= start && one.nonce < nonce;
	});
	if (doubt) return { kind: "in_doubt", nonce: doubt.nonce };
	return counts.pending > nonce ? { kind: "unproven" } : { kind: "nonce", nonce };
}

function isConfirmed(
	mined: number,
	{ confirmed, ownCount }: { confirmed: number | null; ownCount: number },
): boolean {
	if (confirmed === null || confirmed <= ownCount) return false;
	return mined >= confirmed && mined - confirmed <= CONFIRMED_GROWTH_MAX;
}
