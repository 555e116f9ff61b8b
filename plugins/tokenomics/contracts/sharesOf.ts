const WHOLE_BPS = 10_000n;

/**
 * Returns each bucket's share of a total, as the router counts it: of the undivided total of one
 * source, currency and split. What a deposit earned is the difference between the shares of two
 * totals.
 *
 * Each bucket takes its part of what those before it left, and the last one the rest. Shares
 * rounded one by one would let the last one shrink while the total grows.
 */
export function sharesOf(totalRaw: bigint, splitBps: readonly number[]): bigint[] {
	let left = totalRaw;
	let parts = WHOLE_BPS;
	return splitBps.map((bps) => {
		const share = parts === 0n ? 0n : (left * BigInt(bps)) / parts;
		left -= share;
		parts -= BigInt(bps);
		return share;
	});
}
