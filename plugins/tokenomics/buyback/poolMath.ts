// Computes prices, amounts and depths of Uniswap V3 pools in integers.

import { assert } from "#core/fault.ts";
import { BPS } from "#plugins/tokenomics/buyback/buybackConfig.ts";

const Q96 = 2n ** 96n;
const Q192 = 2n ** 192n;
const FEE_UNITS = 1_000_000n;
const TICK_MAX = 887_272;

/** A pool's price and what is bought in it: token0 for token1, or the other way. */
export type Priced = { sqrtPriceX96: bigint; isZeroForOne: boolean };

/**
 * Returns the square root of the price at a tick, in 2^-96ths, as Uniswap V3 rounds it. The factors
 * are its own: one for each bit of the tick.
 */
export function sqrtRatioAtTick(tick: number): bigint {
	assert(
		Number.isInteger(tick) && Math.abs(tick) <= TICK_MAX,
		"a tick is within the pool's bounds",
	);
	const size = Math.abs(tick);
	let ratio = 1n << 128n;
	for (const [bit, factor] of FACTORS.entries()) {
		if ((size >> bit) & 1) ratio = (ratio * factor) >> 128n;
	}
	if (tick > 0) ratio = (2n ** 256n - 1n) / ratio;
	return (ratio >> 32n) + (ratio % (1n << 32n) === 0n ? 0n : 1n);
}

/** Returns what an amount buys after the pool's fee if it moved no price; rounded down. */
export function outAtPrice(
	inRaw: bigint,
	{ sqrtPriceX96, isZeroForOne }: Priced,
	fee: number,
): bigint {
	const square = sqrtPriceX96 * sqrtPriceX96;
	const paid = lessFee(inRaw, fee);
	return isZeroForOne ? (paid * square) / Q192 : (paid * Q192) / square;
}

/**
 * Returns what an amount buys while the liquidity at the price lasts, by Uniswap's formula and
 * rounding: a second answer beside the quoter's, from other figures.
 */
export function outInRange(
	inRaw: bigint,
	pool: Priced & { liquidity: bigint; fee: number },
): bigint {
	const { sqrtPriceX96: at, isZeroForOne, liquidity, fee } = pool;
	const paid = lessFee(inRaw, fee);
	if (paid === 0n || liquidity === 0n) return 0n;
	const scaled = liquidity << 96n;
	if (isZeroForOne) {
		const next = divUp(scaled * at, scaled + paid * at);
		return (liquidity * (at - next)) / Q96;
	}
	const next = at + (paid << 96n) / liquidity;
	return (scaled * (next - at)) / next / at;
}

/** Returns what the pool holds of what is paid, as if its liquidity reached over all prices. */
export function depthOf({
	sqrtPriceX96,
	isZeroForOne,
	liquidity,
}: Priced & { liquidity: bigint }): bigint {
	return isZeroForOne ? (liquidity << 96n) / sqrtPriceX96 : (liquidity * sqrtPriceX96) / Q96;
}

/** Returns how far two prices are apart, in basis points of the second, rounded up. */
export function priceGapBps(one: bigint, other: bigint): bigint {
	return gapBps(one * one, other * other);
}

/** Returns how far an amount is from another, in basis points of that, rounded up. */
export function gapBps(amount: bigint, from: bigint): bigint {
	const gap = amount > from ? amount - from : from - amount;
	if (gap === 0n) return 0n;
	assert(from > 0n, "a gap is measured from something");
	return divUp(gap * BPS, from);
}

/** Takes basis points off an amount; rounds up, so that no less than that is taken. */
export function lessBps(amount: bigint, bps: bigint): bigint {
	return divUp(amount * (BPS - bps), BPS);
}

/** Returns the smaller of two amounts: `Math.min` takes no bigint. */
export function least(one: bigint, other: bigint): bigint {
	return one < other ? one : other;
}

function lessFee(raw: bigint, fee: number): bigint {
	return (raw * (FEE_UNITS - BigInt(fee))) / FEE_UNITS;
}

function divUp(amount: bigint, by: bigint): bigint {
	return (amount + by - 1n) / by;
}

/** 2^128 × 1.0001^(-2^n / 2), for each n. */
const FACTORS = [
	0xfffcb933bd6fad37aa2d162d1a594001n,
	0xfff97272373d413259a46990580e213an,
	0xfff2e50f5f656932ef12357cf3c7fdccn,
	0xffe5caca7e10e4e61c3624eaa0941cd0n,
	0xffcb9843d60f6159c9db58835c926644n,
	0xff973b41fa98c081472e6896dfb254c0n,
	0xff2ea16466c96a3843ec78b326b52861n,
	0xfe5dee046a99a2a811c461f1969c3053n,
	0xfcbe86c7900a88aedcffc83b479aa3a4n,
	0xf987a7253ac413176f2b074cf7815e54n,
	0xf3392b0822b70005940c7a398e4b70f3n,
	0xe7159475a2c29b7443b29c7fa6e889d9n,
	0xd097f3bdfd2022b8845ad8f792aa5825n,
	0xa9f746462d870fdf8a65dc1f90e061e5n,
	0x70d869a156d2a1b890bb3df62baf32f7n,
	0x31be135f97d08fd981231505542fcfa6n,
	0x9aa508b5b7a84e1c677de54f3e99bc9n,
	0x5d6af8dedb81196699c329225ee604n,
	0x2216e584f5fa1ea926041bedfe98n,
	0x48a170391f7dc42444e8fa2n,
];
