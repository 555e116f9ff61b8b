// Turns what a Uniswap V3 pool says of its price into exact ratios, along a route.

import { type Address, type Hex, isAddress } from "#core/chain/Hex.ts";
import { assert } from "#core/fault.ts";
import { BPS } from "#plugins/trading/limits.ts";

/** Holds the amount that comes out for one that goes in, both in base units, as a fraction. */
export type Ratio = { num: bigint; den: bigint };

/** Holds the direction in which a pool is passed. */
type Way = { tokenIn: Address; tokenOut: Address };

/** Holds what `slot0` of a pool returns; null members cannot be read. */
export type Slot0 = { sqrtPriceX96: bigint; tick: number };

/** The selector of `slot0()`. */
export const SLOT0: Hex = "0x3850c7bd";

/** The largest tick of Uniswap V3, either way. */
export const TICK_MAX = 887_272;

/**
 * The narrowest position of a pool in ticks, by its fee, as Uniswap's factory has it. Of another
 * fee it is taken for one tick, and none is narrower.
 */
const NARROWEST: ReadonlyMap<number, bigint> = new Map([
	[100, 1n],
	[500, 10n],
	[3_000, 60n],
	[10_000, 200n],
]);
/** Ticks by which the square root of a price grows to twice itself, were it not compounded. */
const TICKS_OF_ROOT = 20_000n;

/** A pool's fee is in hundredths of a basis point. */
const FEE_WHOLE = 1_000_000n;
const ONE_X128 = 1n << 128n;
/** The price moves by this factor with each tick. */
const STEP_X128 = (ONE_X128 * 10_001n) / 10_000n;
const TICK_BITS = 24;

/** Reads the answer to `slot0`; null where it is none, or a pool without a price. */
export function readSlot0(answer: unknown): Slot0 | null {
	if (typeof answer !== "string" || !/^0x[0-9a-f]{128,}$/i.test(answer)) return null;
	const sqrtPriceX96 = BigInt(answer.slice(0, 66));
	const tick = Number(BigInt.asIntN(TICK_BITS, BigInt(`0x${answer.slice(66, 130)}`)));
	return sqrtPriceX96 === 0n || Math.abs(tick) > TICK_MAX ? null : { sqrtPriceX96, tick };
}

/** Returns how much of the other token a pool gives at a price of now, before its fee. */
export function ratioAtSqrt(way: Way, sqrtPriceX96: bigint): Ratio {
	const squared = { num: sqrtPriceX96 ** 2n, den: 1n << 192n };
	return isForward(way) ? squared : inverse(squared);
}

/** Returns the same at a tick. The error is far below a basis point. */
export function ratioAtTick(way: Way, tick: number): Ratio {
	assert(Number.isInteger(tick) && Math.abs(tick) <= TICK_MAX, "a tick is within V3's bounds");
	const power = { num: powerX128(Math.abs(tick)), den: ONE_X128 };
	return isForward(way) === tick >= 0 ? power : inverse(power);
}

/** Returns what a route gives whose pools give these. */
export function alongRoute(ratios: readonly Ratio[]): Ratio {
	return ratios.reduce(({ num, den }, one) => ({ num: num * one.num, den: den * one.den }), {
		num: 1n,
		den: 1n,
	});
}

/** Returns what is left of a ratio after the fees of these pools. */
export function afterFees({ num, den }: Ratio, hops: readonly { fee: number }[]): Ratio {
	return hops.reduce(
		(left, { fee }) => ({ num: left.num * (FEE_WHOLE - BigInt(fee)), den: left.den * FEE_WHOLE }),
		{ num, den },
	);
}

/**
 * Returns how much less comes out than a ratio says, in basis points of that, rounded up: a loss is
 * never shown as less than it is. 0 where as much or more comes out.
 */
export function lossBps(
	{ inRaw, outRaw }: { inRaw: bigint; outRaw: bigint },
	{ num, den }: Ratio,
): number {
	const fair = inRaw * num;
	const real = outRaw * den;
	if (real >= fair) return 0;
	return Number(((fair - real) * BPS + fair - 1n) / fair);
}

/**
 * Returns whether a pool offered both amounts at a price, going in and coming out, if all of its
 * liquidity was in the narrowest position. Liquidity alone says little of money: a few dollars
 * around one price have as much as thousands around all. This is the least that whoever holds a
 * pool at a price has to offer everybody at it.
 */
export function isHeldBy(
	{ liquidity, fee }: { liquidity: bigint; fee: number },
	{ ratio: { num, den }, inRaw, outRaw }: { ratio: Ratio; inRaw: bigint; outRaw: bigint },
): boolean {
	const within = (liquidity * narrowestTicks(fee)) ** 2n;
	const isHeld = (raw: bigint, of: Ratio) =>
		(raw * TICKS_OF_ROOT) ** 2n * of.num <= within * of.den;
	return isHeld(inRaw, { num, den }) && isHeld(outRaw, { num: den, den: num });
}

/** Returns how many ticks the narrowest position of a pool has, by its fee. */
export function narrowestTicks(fee: number): bigint {
	return NARROWEST.get(fee) ?? 1n;
}

/** Returns what the narrowest position of a pool's liquidity would hold, at the price as it is. */
export function narrowestOf(
	{ liquidity, sqrtPriceX96 }: { liquidity: bigint; sqrtPriceX96: bigint },
	fee: number,
): { raw0: bigint; raw1: bigint } {
	const within = liquidity * narrowestTicks(fee);
	return {
		raw0: (within << 96n) / (sqrtPriceX96 * TICKS_OF_ROOT),
		raw1: (within * sqrtPriceX96) / (TICKS_OF_ROOT << 96n),
	};
}

/** Returns whether the token that goes in is the pool's token0, in which its price is given. */
function isForward({ tokenIn, tokenOut }: Way): boolean {
	assert(isAddress(tokenIn) && isAddress(tokenOut), "tokens are in lower case, or do not compare");
	return tokenIn < tokenOut;
}

function inverse({ num, den }: Ratio): Ratio {
	return { num: den, den: num };
}

/** Returns 1.0001 to a power, in 2^-128ths. */
function powerX128(exponent: number): bigint {
	let [power, base] = [ONE_X128, STEP_X128];
	for (let rest = exponent; rest > 0; rest >>= 1) {
		if (rest % 2 === 1) power = (power * base) >> 128n;
		base = (base * base) >> 128n;
	}
	return power;
}
