import type { Fee } from "./stockCatalogue.ts";

/** A token's decimals, and the price of one token in hundred-millionths of a dollar. */
export type Priced = { decimals: number; usd: bigint };
export type Span = { lower: number; upper: number; liquidity: bigint };

const Q96 = 2n ** 96n;
const MAX_TICK = 887_272;
/** V3's tick spacing by fee: where a position may end. */
export const TICK_SPACING: Record<Fee, number> = { 100: 1, 500: 10, 3000: 60, 10000: 200 };
/** Half of a pool's liquidity is within a fifth of its price, the other half at any price. */
const NARROW = 1.2;

/** Returns the square root of the price (token1 units per token0 unit), times 2^96. */
export function sqrtPriceX96(token0: Priced, token1: Priced): bigint {
	const units1 = token0.usd * 10n ** BigInt(token1.decimals);
	const units0 = token1.usd * 10n ** BigInt(token0.decimals);
	return squareRoot((units1 << 192n) / units0);
}

/** Returns the positions that hold `depthUsd` on each side of the price. */
export function spansOf(
	pool: { token1: Priced; sqrtX96: bigint; spacing: number },
	depthUsd: number,
): Span[] {
	const { token1, sqrtX96, spacing } = pool;
	const tick = Math.log((Number(sqrtX96) / Number(Q96)) ** 2) / Math.log(1.0001);
	const reach = Math.log(NARROW) / Math.log(1.0001);
	const onGrid = (at: number): number => Math.floor(at / spacing) * spacing;
	const half = (BigInt(depthUsd) * 10n ** 8n * 10n ** BigInt(token1.decimals)) / token1.usd / 2n;
	const wide = (half * Q96) / sqrtX96;
	const edge = Math.floor(MAX_TICK / spacing) * spacing;
	const narrowShare = BigInt(Math.round(1e9 * (1 - 1 / Math.sqrt(NARROW))));
	return [
		{ lower: -edge, upper: edge, liquidity: wide },
		{
			lower: onGrid(tick - reach),
			upper: onGrid(tick + reach),
			liquidity: (wide * 1_000_000_000n) / narrowShare,
		},
	];
}

function squareRoot(of: bigint): bigint {
	if (of < 2n) return of;
	let root = 1n << BigInt((of.toString(2).length + 1) >> 1);
	for (;;) {
		const next = (root + of / root) >> 1n;
		if (next >= root) return root;
		root = next;
	}
}
