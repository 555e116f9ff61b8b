// Defines candles and their intervals, and values payments in wei of ETH.

import type { Chain } from "#core/chain/Chain.ts";
import { type Address, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { toDisplayNumber } from "#core/money.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "#core/time.ts";
import { nativeCurrency } from "#plugins/market-index/display.ts";
import { TIERS, WEI_PAID_MAX } from "#plugins/market-index/rollup/windows.ts";
import type { Prices } from "#plugins/prices/contract.ts";

/** One interval of a collection's accepted sales. Prices are ETH equivalents for one unit. */
export type Candle = {
	openTime: string;
	open: number;
	high: number;
	low: number;
	close: number;
	volumeNative: number;
	/** The exact volume, in wei. */
	volumeRaw: string;
	volumeCurrency: typeof nativeCurrency;
	sales: number;
};

/** A payment: amount, currency, and time. */
export type Paid = { currency: Address | null; totalRaw: bigint | null; occurredAtMs: number };

/** A rollup row with at least one priced sale; amounts are wei as decimal strings. */
export type CandleRow = {
	bucket: Date;
	open: string;
	high: string;
	low: string;
	close: string;
	volume: string;
	sales: number;
};

/** The largest whole number that the columns of amounts, `numeric(78)`, hold. */
export const AMOUNT_MAX = 10n ** 78n - 1n;

const WEI_DECIMALS = 18;

const [MINUTES, HOURS, DAYS] = TIERS;

/**
 * The intervals of candles, by their names in requests, each with its length and the rollup tier
 * that it is read from: `buckets` of `table` make one candle.
 *
 * An interval begins at a whole multiple of its length since 1970, UTC. The route's parameter and
 * the statements of `sql/candles.ts` are both made from this.
 */
export const CANDLE_INTERVALS = {
	"1m": { ms: MINUTE_MS, table: MINUTES.table, buckets: 1 },
	"15m": { ms: 15 * MINUTE_MS, table: MINUTES.table, buckets: 15 },
	"30m": { ms: 30 * MINUTE_MS, table: MINUTES.table, buckets: 30 },
	"1h": { ms: HOUR_MS, table: HOURS.table, buckets: 1 },
	"4h": { ms: 4 * HOUR_MS, table: HOURS.table, buckets: 4 },
	"1d": { ms: DAY_MS, table: DAYS.table, buckets: 1 },
} as const;

export type CandleInterval = keyof typeof CANDLE_INTERVALS;

/**
 * Limits a sum to the most its column takes.
 *
 * One amount below 2^256 always fits, and so do eight: a ninth comes from a contract that lies
 * about its units, and its batch must not stop the lane. Sums with a ceiling still add up to the
 * same in any order.
 */
export function capAmount(sum: bigint): bigint {
	return sum > AMOUNT_MAX ? AMOUNT_MAX : sum;
}

/**
 * Returns an amount as an ETH equivalent, in wei. ETH and its wrapped form on a chain whose native
 * currency is ETH need no rate; any other currency is valued at the rate of its own time, and is
 * unknown while there is none: never guessed. An amount worth more than all ETH is unknown too.
 */
export function nativeTotal(
	chain: Chain,
	{ currency, totalRaw, occurredAtMs }: Paid,
	prices: Pick<Prices, "toNative">,
): bigint | null {
	if (totalRaw === null || currency === null) return null;
	// Zero is zero in any currency.
	if (totalRaw === 0n) return 0n;
	const isNative = currency === ZERO_ADDRESS || currency === chain.wrappedNative;
	if (isNative && chain.nativeIsEth) return totalRaw;
	const total = prices.toNative({ chainId: chain.id, currency }, totalRaw, occurredAtMs);
	return total !== null && total > WEI_PAID_MAX ? null : total;
}

export function renderCandle(row: CandleRow): Candle {
	const native = (wei: string) => toDisplayNumber(BigInt(wei), WEI_DECIMALS);
	return {
		openTime: row.bucket.toISOString(),
		open: native(row.open),
		high: native(row.high),
		low: native(row.low),
		close: native(row.close),
		volumeNative: native(row.volume),
		volumeRaw: row.volume,
		volumeCurrency: nativeCurrency,
		sales: row.sales,
	};
}
