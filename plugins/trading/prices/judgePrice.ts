// Judges a trade's price by all sources that know it, and puts the verdict into words.

import { mulDiv } from "#core/money.ts";
import { BPS } from "#plugins/trading/limits.ts";
import { lossBps, type Ratio } from "#plugins/trading/poolRatio.ts";
import type { PriceWord } from "#plugins/trading/prices/createReference.ts";
import { amountText } from "#plugins/trading/shares.ts";
import type { Denial, Figure } from "#plugins/wallets/contract.ts";

export type PriceBounds = {
	impactBpsMax: number;
	/** Limits how much less than a fair price may be received, in basis points. */
	referenceBpsMax: number;
	/** Limits the same where the fair price is the last close of a closed market, in basis points. */
	closedBpsMax: number;
	/** Limits trades at an unsupported price for which an owner may be asked, in microdollars. */
	unpricedUsdMicrosMax: bigint;
};

/** Holds one side of a trade: its feed's price, and its decimals. */
export type PriceSide = { word: PriceWord; decimals: number };

export type PriceFacts = {
	/** The amount that goes into the route. */
	inRaw: bigint;
	outRaw: bigint;
	sell: PriceSide;
	buy: PriceSide;
	/**
	 * The pools' mean of half an hour along the route; null: unknown. It is whole where all of the
	 * half hour is known, and the pools held what the trade moves.
	 */
	average: { ratio: Ratio; isWhole: boolean } | null;
	/** The price impact of the chosen route; null: unknown. */
	impactBps: number | null;
	/** True if a source that may have a route did not answer. */
	isOneSilent: boolean;
};

/** Names where a fair price comes from. */
export type PriceFrom = "feed" | "last close" | "pool";

const TOO_STEEP: Denial = {
	code: "price_impact",
	detail: "The trade would move the price of its pools too far.",
};

/** A fair price, and how much less than it may be received at most. */
type Held = { from: PriceFrom; ratio: Ratio; boundBps: number };

/** Says how one comparison ended: `unknown` supports nothing. */
type Outcome = "passed" | "denied" | "unknown";

export type PriceVerdict = {
	/** `yes`: something supports the price. `unsure`: nothing does. */
	kind: "yes" | "unsure" | "no";
	denial: Denial | null;
	/** The prices that the trade is compared with; the first one is displayed. */
	held: readonly Held[];
	/** The figure and the outcome of each comparison. */
	compared: Readonly<
		Record<"impact" | "reference" | "average", { outcome: Outcome; figure: number | null }>
	>;
};

/** Holds the parts of a stored verdict that the displayed line needs. */
type Said = {
	kind: "yes" | "ask";
	from: readonly string[];
	fairRaw: string | null;
	countedUsdMicros: string | null;
};

type Told = Parameters<typeof amountText>[1];

const MICROS_IN_CENT = 10_000n;

/**
 * Judges the price of a trade. It is right only where something says so: a valid feed on both
 * sides; the last close of a closed market, within a wider bound; or, where no feed is named, the
 * known impact of the route that is taken together with the pools' mean of half an hour, and no
 * silent second source. A mean alone supports nothing, but it may refuse: only a feed of now is
 * above it. Whatever is unknown supports nothing.
 */
export function judgePrice(facts: PriceFacts, bounds: PriceBounds): PriceVerdict {
	const { sell, buy, average, impactBps } = facts;
	const byFeed = feedOf(facts, bounds);
	const byPool: Held | null = average && {
		...{ from: "pool", ratio: average.ratio, boundBps: bounds.referenceBpsMax },
	};
	const isSteep = impactBps !== null && impactBps > bounds.impactBpsMax;
	const isFar = byFeed !== null && isBeyond(facts, byFeed);
	const isOff = byPool !== null && isBeyond(facts, byPool);
	const isOpen = byFeed?.from === "feed";
	const hasNoFeed = [sell, buy].every(({ word }) => word.kind !== "broken");
	const isByPool =
		hasNoFeed && average?.isWhole === true && impactBps !== null && !facts.isOneSilent;
	const compared: PriceVerdict["compared"] = {
		impact: { figure: impactBps, outcome: outcomeOf(impactBps === null, isSteep) },
		reference: {
			figure: byFeed && lossBps(facts, byFeed.ratio),
			outcome: outcomeOf(byFeed === null, isFar),
		},
		average: {
			figure: byPool && lossBps(facts, byPool.ratio),
			outcome: outcomeOf(average?.isWhole !== true && !isOff, isOff && !isOpen),
		},
	};
	// Where a feed of now says that the price is right, a mean that lags behind is not held against.
	const held = [byFeed, isOpen && isOff ? null : byPool].filter((one) => one !== null);
	const denials: [boolean, Denial][] = [
		[isSteep, { ...TOO_STEEP, limit: bps(bounds.impactBpsMax), amount: bps(impactBps ?? 0) }],
		[isFar, farFrom(facts, byFeed)],
		[isOff && !isOpen, farFrom(facts, byPool)],
	];
	const denial = denials.find(([isIt]) => isIt)?.[1] ?? null;
	const isSure = byFeed !== null || isByPool;
	return { kind: denial ? "no" : isSure ? "yes" : "unsure", denial, held, compared };
}

/**
 * Returns the least that a trade may receive for `in`, or the most that it may spend for `out`, so
 * that it ends within the bounds of its price; null where it is held against nothing.
 */
export function priceLimit(
	{ held }: Pick<PriceVerdict, "held">,
	{ exact, amountRaw }: { exact: "in" | "out"; amountRaw: bigint },
): bigint | null {
	const limits = held.map(({ ratio: { num, den }, boundBps }) => {
		const left = BPS - BigInt(boundBps);
		return exact === "in"
			? mulDiv(amountRaw * num, left, den * BPS, "up")
			: mulDiv(amountRaw * den, BPS, num * left, "down");
	});
	const ordered = limits.toSorted((one, other) => (one < other ? -1 : 1));
	return (exact === "in" ? ordered.at(-1) : ordered[0]) ?? null;
}

/**
 * Returns the value of a trade whose price nothing supports: the highest of the quotes, the feed's
 * last price, and our own record of a day. Null where the spent currency has no price: then its
 * owner cannot be shown a figure, and the trade is refused.
 */
export function countUnsure(
	{ inRaw, outRaw, sell, buy }: PriceFacts,
	/** Microdollars for a whole one by our own record, at its highest; null: not in it. */
	record: { sell: bigint | null; buy: bigint | null },
): bigint | null {
	const own = worthsOf(sell, inRaw, record.sell);
	if (own.length === 0) return null;
	const all = [...own, ...worthsOf(buy, outRaw, record.buy)];
	return all.toSorted((one, other) => (one > other ? -1 : 1))[0] ?? null;
}

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
		"prices, with a known impact, at which its pools held that much. " +
		`It counts as $${counted}.${partly}`
	);
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

function worthsOf({ word, decimals }: PriceSide, raw: bigint, record: bigint | null): bigint[] {
	const last = word.kind === "broken" ? word.lastMicros : null;
	const said = word.kind === "open" || word.kind === "closed" ? word.microsPerUnit : null;
	return [last, said, record].flatMap((micros) =>
		micros === null ? [] : [mulDiv(raw, micros, 10n ** BigInt(decimals), "up")],
	);
}

/** Returns the fair price by feeds; null unless both sides have one. */
function feedOf({ sell, buy }: PriceFacts, bounds: PriceBounds): Held | null {
	const [one, other] = [sell.word, buy.word];
	if (one.kind !== "open" && one.kind !== "closed") return null;
	if (other.kind !== "open" && other.kind !== "closed") return null;
	const ratio = {
		num: one.microsPerUnit * 10n ** BigInt(buy.decimals),
		den: other.microsPerUnit * 10n ** BigInt(sell.decimals),
	};
	const isClosed = one.kind === "closed" || other.kind === "closed";
	return isClosed
		? { from: "last close", ratio, boundBps: bounds.closedBpsMax }
		: { from: "feed", ratio, boundBps: bounds.referenceBpsMax };
}

function isBeyond(facts: PriceFacts, { ratio, boundBps }: Held): boolean {
	return lossBps(facts, ratio) > boundBps;
}

function outcomeOf(isUnknown: boolean, isDenied: boolean): Outcome {
	return isDenied ? "denied" : isUnknown ? "unknown" : "passed";
}

function bps(value: number): Figure {
	return { value: String(value), unit: "bps" };
}

function farFrom(facts: PriceFacts, held: Held | null): Denial {
	const what = {
		feed: "what feeds say",
		"last close": "the last close",
		pool: "their own mean of half an hour",
	} as const;
	const detail = `The pools' price is too far from ${what[held?.from ?? "feed"]}.`;
	const figures = held && {
		...{ limit: bps(held.boundBps), amount: bps(lossBps(facts, held.ratio)) },
	};
	return { code: "price_deviation", detail, ...figures };
}

/** Writes how far an amount is from the fair one: `0.85 % below the fair price of`. */
function distance(raw: bigint, fair: bigint, exact: "in" | "out"): string {
	const worse = exact === "in" ? fair - raw : raw - fair;
	if (worse <= 0n || fair === 0n) return "no worse than the fair price of";
	const hundredths = (worse * 10_000n + fair - 1n) / fair;
	const percent = `${hundredths / 100n}.${String(hundredths % 100n).padStart(2, "0")}`;
	return `${percent} % ${exact === "in" ? "below" : "above"} the fair price of`;
}
