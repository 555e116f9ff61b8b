// Words the verdict on a trade's price in one line, and amounts of dollars.

import { amountText } from "#plugins/trading/shares.ts";

/** What is stored of a verdict, as the line needs it. */
type Said = {
	kind: "yes" | "ask";
	from: readonly string[];
	fairRaw: string | null;
	countedUsdMicros: string | null;
};

type Told = Parameters<typeof amountText>[1];

const MICROS_IN_CENT = 10_000n;

/**
 * Says in one line what a trade gives beside its fair price, or that nothing sure says one.
 *
 * @example
 * "You get at least 0.12 TSLA; that is 1.00 % below the fair price of 0.121 TSLA, from pool."
 */
export function priceLine(
	{ kind, from, fairRaw, countedUsdMicros }: Said,
	swap: { exact: "in" | "out"; leastRaw: bigint; mostRaw: bigint; sell: Told; buy: Told },
): string {
	const { exact, leastRaw, mostRaw, sell, buy } = swap;
	const [raw, currency] = exact === "in" ? [leastRaw, buy] : [mostRaw, sell];
	const text = (units: bigint, of: Told = currency) => shortened(amountText(units, of));
	const does = exact === "in" ? `You get at least ${text(raw)}` : `You pay at most ${text(raw)}`;
	// The line has shares once.
	const plain = { ...currency, multiplier: null };
	const fair = fairRaw === null ? null : BigInt(fairRaw);
	const beside = fair === null ? "" : ` ${distance(raw, fair, exact)} ${text(fair, plain)}`;
	if (kind === "yes") return `${does}; that is${beside}, from ${from.join(" and ")}.`;
	const counted = dollars(BigInt(countedUsdMicros ?? "0"));
	const partly = fair === null ? "" : ` By the mean of its pools alone it is${beside}.`;
	return (
		`${does}. Nothing sure says what that is worth: no valid feed, and no full half hour of ` +
		`prices with a known impact. It counts as $${counted}.${partly}`
	);
}

/** Writes how far an amount is from the fair one: `0.85 % below the fair price of`. */
function distance(raw: bigint, fair: bigint, exact: "in" | "out"): string {
	const worse = exact === "in" ? fair - raw : raw - fair;
	if (worse <= 0n || fair === 0n) return "no worse than the fair price of";
	const hundredths = (worse * 10_000n + fair - 1n) / fair;
	const percent = `${hundredths / 100n}.${String(hundredths % 100n).padStart(2, "0")}`;
	return `${percent} % ${exact === "in" ? "below" : "above"} the fair price of`;
}

/** Writes microdollars as dollars and cents, rounded up: nothing is shown as less than it is. */
export function dollars(micros: bigint): string {
	const cents = (micros + MICROS_IN_CENT - 1n) / MICROS_IN_CENT;
	return `${cents / 100n}.${String(cents % 100n).padStart(2, "0")}`;
}

/** Cuts to eight decimals, enough for a line; the answer has all of them. */
export function shortened(text: string): string {
	return text.replace(/(\.\d{8})\d+/g, "$1…");
}
