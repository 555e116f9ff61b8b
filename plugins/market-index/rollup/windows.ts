// Defines windows of time, rollup tiers and candles, and what a figure says of itself.

import type { Chain } from "#core/chain/Chain.ts";
import { type Address, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { toDisplayNumber } from "#core/money.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "#core/time.ts";
import { nativeCurrency } from "#plugins/market-index/display.ts";
import type { StoredEvent } from "#plugins/market-index/event/MarketEvent.ts";
import type { Prices } from "#plugins/prices/contract.ts";

/** A stretch of time for which a source has everything. */
export type Span = { fromMs: number; untilMs: number };

/** Holds how much of a figure's window was read. */
export type Coverage = {
	/** Null where its start is not known. */
	fromMs: number | null;
	untilMs: number | null;
	/**
	 * The covered part from 0 to 1, and 1 only where nothing is missing; null where the whole is not
	 * known.
	 */
	fraction: number | null;
};

export type Figure = {
	/** Null where it is unknown; then `reason` says why. */
	value: number | null;
	reason: UnknownReason | null;
	source: FigureSource | null;
	/** The length of the time that the figure sums over; null for a state, and for all time. */
	window: FigureWindow | null;
	/** The time it is for; null where it is unknown, and where it was not recorded. */
	asOfMs: number | null;
	/** Null for a figure that its source reported as one number, and where the figure is unknown. */
	coverage: Coverage | null;
};

/** A stretch of time from `start` until now, cut where coarser rollups can take over. */
export type Window = {
	/** A whole minute. */
	start: Date;
	/** Begins the part that is summed by hours; before it, minutes are summed. */
	hours: Date;
	/** Begins the part that is summed by days: the first midnight (UTC) at or after `hours`. */
	days: Date;
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

/**
 * Names the source of a figure: `chain`: read by lanes, or answered by a contract; `provider`:
 * reported by the marketplace provider; `walk`: from the scan of all of a contract's transfers.
 */
export const FIGURE_SOURCES = ["chain", "provider", "walk"] as const;
export type FigureSource = (typeof FIGURE_SOURCES)[number];

/**
 * Why a figure is null. `not_read`: no source has told it. `not_covered`: nothing of its window was
 * read. `not_counted`: its source says zero, which means not counted yet. `no_price`: there were
 * sales, or a mint, without a known price. `contradicted`: zero was counted, but another source
 * knows of some. `nothing`: there is nothing to compute it from: no sales have no average.
 */
export const UNKNOWN_REASONS = [
	"not_read",
	"not_covered",
	"not_counted",
	"no_price",
	"contradicted",
	"nothing",
] as const;
export type UnknownReason = (typeof UNKNOWN_REASONS)[number];

/** The rollup tiers, finest first. A tier's bucket is a whole number of the finer one's. */
export const TIERS = [
	{ table: "rollup_minute", ms: MINUTE_MS },
	{ table: "rollup_hour", ms: HOUR_MS },
	{ table: "rollup_day", ms: DAY_MS },
] as const;

export type Tier = (typeof TIERS)[number];

/** Bounds payments by a billion ETH, more than exists: above it only its own chain proves one. */
export const WEI_PAID_MAX = 10n ** 27n;

/** The windows that figures are summed over, by their names in requests and answers, in ms. */
export const WINDOW_MS = {
	"5m": 5 * MINUTE_MS,
	"1h": HOUR_MS,
	"6h": 6 * HOUR_MS,
	"24h": DAY_MS,
	"7d": 7 * DAY_MS,
	"30d": 30 * DAY_MS,
} as const;

export type FigureWindow = keyof typeof WINDOW_MS;

/** Holds one interval of a collection's accepted sales. Prices are ETH equivalents for one unit. */
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

/** Returns the collections whose sales or mints include these events. */
export function countedIn(
	events: Iterable<Pick<StoredEvent, "kind" | "accepted"> & { collectionId: number }>,
): { sold: Set<number>; minted: Set<number> } {
	const sold = new Set<number>();
	const minted = new Set<number>();
	for (const { accepted, kind, collectionId } of events) {
		if (accepted && kind === "mint") minted.add(collectionId);
		if (accepted && kind === "sale") sold.add(collectionId);
	}
	return { sold, minted };
}

/**
 * Returns the last `lengthMs` before now, its start moved back to the whole minute.
 *
 * So the rollups give its figures exactly, and at any size of history a collection costs at most 59
 * minutes, 23 hours and the days. There is no upper end: a block from the near future counts.
 */
export function windowOf(nowMs: number, lengthMs: number): Window {
	const startMs = bucketOf(nowMs - lengthMs, MINUTE_MS);
	const hoursMs = ceil(startMs, HOUR_MS);
	return {
		start: new Date(startMs),
		hours: new Date(hoursMs),
		days: new Date(ceil(hoursMs, DAY_MS)),
	};
}

/**
 * Returns the start of the bucket with a time. Buckets begin at whole multiples since 1970, UTC.
 */
export function bucketOf(atMs: number, bucketMs: number): number {
	return Math.floor(atMs / bucketMs) * bucketMs;
}

function ceil(atMs: number, stepMs: number): number {
	return Math.ceil(atMs / stepMs) * stepMs;
}

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
