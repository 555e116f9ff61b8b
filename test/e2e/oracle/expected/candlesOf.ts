import { type Expected, isNear } from "#test/e2e/oracle/differences.ts";
import { volumeCurrency } from "#test/e2e/oracle/expected/collectionOf.ts";
import { ether, unitWorthOf, worthOf } from "#test/e2e/oracle/expected/worthOf.ts";
import type { Fact } from "#test/e2e/oracle/Known.ts";

const MINUTE_MS = 60_000;
export const INTERVALS = {
	"1m": 1,
	"15m": 15,
	"30m": 30,
	"1h": 60,
	"4h": 240,
	"1d": 1_440,
} as const;

/**
 * Returns the candles of accepted sales with a known price, newest last; empty intervals are left
 * out.
 */
export function candlesOf(known: readonly Fact[], interval: keyof typeof INTERVALS): Expected[] {
	const lengthMs = INTERVALS[interval] * MINUTE_MS;
	const sales = known.filter(({ kind, accepted }) => kind === "sale" && accepted);
	const buckets = Map.groupBy(sales, ({ atMs }) => Math.floor(atMs / lengthMs) * lengthMs);
	return [...buckets]
		.sort(([a], [b]) => a - b)
		.flatMap(([atMs, all]) =>
			all.some((sale) => worthOf(sale) !== null) ? [candleOf(atMs, all)] : [],
		);
}

function candleOf(atMs: number, sales: readonly Fact[]): Expected {
	const priced = sales.filter((sale) => worthOf(sale) !== null);
	const units = priced.map((sale) => ether(unitWorthOf(sale) ?? 0n));
	const volume = sales.reduce((sum, sale) => sum + (worthOf(sale) ?? 0n), 0n);
	return {
		openTime: new Date(atMs).toISOString(),
		open: oneOf(priced, priced[0]),
		high: Math.max(...units),
		low: Math.min(...units),
		close: oneOf(priced, priced.at(-1)),
		volumeNative: ether(volume),
		volumeRaw: volume.toString(),
		volumeCurrency,
		sales: sales.length,
	};
}

/**
 * Returns the price of this sale, or of one about as old: the position of an event within its
 * minute is an estimate where only the provider told of it.
 */
function oneOf(sales: readonly Fact[], sale: Fact | undefined): Expected {
	if (!sale) return null;
	const alike = sales.filter(({ atMs, block }) => {
		const isNear = Math.abs(atMs - sale.atMs) <= 2 * MINUTE_MS;
		return atMs === sale.atMs || (isNear && (block === null || sale.block === null));
	});
	const units = [...new Set([sale, ...alike])].map((one) => ether(unitWorthOf(one) ?? 0n));
	return (actual) => {
		return units.some((unit) => isNear(actual, unit)) ? undefined : `${actual}, and not ${units}`;
	};
}
