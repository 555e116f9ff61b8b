import type { NonceQueue } from "#plugins/wallets/submission/NonceQueue.ts";

/**
 * The nonces below one that nothing of ours holds, lowest first: nothing above them is mined before
 * something uses them. A filling that may never have left leaves its gap open.
 */
export function gapsBelow(
	nonce: number,
	{ held, finalCount }: Pick<NonceQueue, "held" | "finalCount">,
	{ minedNonce, max }: { minedNonce: number; max: number },
): number[] {
	const taken = new Set(
		held
			.filter(({ purpose, state }) => {
				return purpose !== "fill" || (state !== "doubtful" && state !== "dropped");
			})
			.map((one) => one.nonce),
	);
	const gaps: number[] = [];
	for (let at = Math.max(minedNonce, finalCount); at < nonce && gaps.length < max; at++) {
		if (!taken.has(at)) gaps.push(at);
	}
	return gaps;
}
