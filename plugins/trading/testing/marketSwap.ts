// Swaps in the market in memory as the router would, by the calldata that would be signed.

import { type Address, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { readSwap } from "#plugins/trading/swap/readSwap.ts";
import {
	giveOf,
	type MarketCode,
	type MarketPool,
	PLAIN_CODE,
	takeOf,
} from "#plugins/trading/testing/priceMarket.ts";

/** What a swap took from the wallet, and what arrived there. */
export type Swapped = { sold: Address; bought: Address; inRaw: bigint; outRaw: bigint };

type Market = {
	pools: ReadonlyMap<Address, MarketPool>;
	codes: ReadonlyMap<Address, MarketCode>;
};

const BPS = 10_000n;

/** Returns what calldata would do now; null: it reverts. A pool that is paid too little reverts. */
export function marketSwap(
	{ pools, codes }: Market,
	sent: { data: `0x${string}`; valueRaw: bigint },
): Swapped | null {
	const swap = readSwap(sent);
	const first = swap?.hops[0];
	const last = swap?.hops.at(-1);
	if (!swap || !first || !last) return null;
	const { exact, hops, amountRaw, limitRaw } = swap;
	const kept = (token: Address) => BigInt((codes.get(token) ?? PLAIN_CODE).keptBps);
	// Only what is received last may be less than was paid: a pool looks at what it holds.
	if (hops.some(({ tokenIn }) => kept(tokenIn) > 0n)) return null;
	const order = exact === "in" ? hops : hops.toReversed();
	let raw: bigint | null = amountRaw;
	for (const { tokenIn, tokenOut, fee } of order) {
		const tokens = [tokenIn, tokenOut].toSorted().join();
		const pool = [...pools.values()].find((one) => {
			return one.fee === fee && `${one.token0},${one.token1}` === tokens;
		});
		if (!pool || raw === null) return null;
		raw = exact === "in" ? giveOf(pool, tokenIn, raw) : takeOf(pool, tokenIn, raw);
	}
	if (raw === null || (exact === "in" ? raw < limitRaw : raw > limitRaw)) return null;
	const [inRaw, paidRaw] = exact === "in" ? [amountRaw, raw] : [raw, amountRaw];
	const outRaw = (paidRaw * (BPS - kept(last.tokenOut))) / BPS;
	return {
		sold: swap.isNativeIn ? ZERO_ADDRESS : first.tokenIn,
		bought: swap.isNativeOut ? ZERO_ADDRESS : last.tokenOut,
		...{ inRaw, outRaw },
	};
}
