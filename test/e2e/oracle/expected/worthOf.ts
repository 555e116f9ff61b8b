// Calculates the worth of events, by the rounds of price feeds.

import { type Coin, coins } from "#test/conformance/provider/world/World.ts";
import type { Fact, Rates, UnpricedFact, View } from "#test/e2e/oracle/model.ts";
import type { Feed } from "#test/e2e/oracle/world/makeFeeds.ts";

/** What a figure must be: a number, or null for one of these reasons. */
export type Figure = {
	unit: "ETH" | "percent" | "count";
	window: string | null;
	value: number | null;
	/** The exact integer of an amount. */
	raw: bigint | null;
	/** True: it is zero and the newest minute that was read is no longer in the window. */
	mayBeNull: boolean;
	/** Why it may be null. */
	reasons: readonly string[];
	sources: readonly (string | null)[];
	/** For counted figures: the time, the events counted, and those of them with a price. */
	span: Span | null;
	/** Share of a whole that is not measured in time: minted units of a supply. */
	share: number | null;
	/** When its source told it; null where that is not checked. */
	toldAt: readonly number[] | null;
};

export type Span = {
	startMs: number;
	endMs: number;
	known: readonly Fact[];
	truth: readonly Fact[];
	priced: number;
	lanesFromMs: number | null;
};

/** An exact price in dollars. */
type Price = { answer: bigint; decimals: number; coin: Coin };

/** A figure that is not known. */
export const UNKNOWN: Omit<Figure, "unit" | "reasons"> = {
	window: null,
	mayBeNull: false,
	value: null,
	raw: null,
	sources: [],
	span: null,
	share: null,
	toldAt: null,
};

/** The addresses that mean ether on each chain: the coin itself and its wrapped form. */
const ETHER: Record<string, readonly string[]> = {
	base: [coins.eth.address, coins.wethOnBase.address],
	ethereum: [coins.eth.address, coins.wethOnEthereum.address],
};
const ETHER_SYMBOLS = ["ETH", "WETH"];
/** The addresses of a chain's own coin that is not ether. */
const APE: readonly string[] = [coins.ape.address, coins.wape.address];
const APE_SYMBOLS: readonly string[] = [coins.ape.symbol, coins.wape.symbol];
const WEI = 10n ** 18n;

/** Returns an event's value in wei for all its units; null where its currency had no rate. */
export const worthOf = ({ worth }: Fact): bigint | null => worth;

export const ether = (wei: bigint): number => Number(wei) / 1e18;

const MINUTE_MS = 60_000;
export const WINDOWS = {
	"5m": 5 * MINUTE_MS,
	"1h": 60 * MINUTE_MS,
	"6h": 360 * MINUTE_MS,
	"24h": 1_440 * MINUTE_MS,
	"7d": 7 * 1_440 * MINUTE_MS,
} as const;

export type Window = keyof typeof WINDOWS;

/** Returns the start of a window: windows begin at a whole minute. */
export const windowStart = (nowMs: number, window: Window) =>
	Math.floor((nowMs - WINDOWS[window]) / MINUTE_MS) * MINUTE_MS;

export const RANGES = { "1h": 1, "24h": 24, "7d": 168, "30d": 720, all: null } as const;

/**
 * Reads the rounds of feeds, by the specification: an answer is valid until the next one and for
 * two heartbeats at most; one of zero or less is no answer. Ether and its wrapped form need no feed
 * to be worth ether; any other coin is worth what its dollars buy, rounded down.
 */
export function createRates(feeds: readonly Feed[], chain: string): Rates {
	const priceAt = (isIt: (feed: Feed) => boolean, atMs: number): Price | null => {
		const feed = feeds.find(isIt);
		if (!feed) return null;
		const { rounds, decimals } = feed.aggregator;
		const last = rounds.findLast(({ answer, atS }) => answer > 0n && atS * 1_000 <= atMs);
		const isFresh = last && atMs - last.atS * 1_000 <= 2 * feed.heartbeatMs;
		return isFresh ? { answer: last.answer, decimals, coin: feed.coin } : null;
	};
	const etherAt = (atMs: number) => priceAt(({ coin }) => coin === coins.eth, atMs);
	return {
		dollarsAt(atMs) {
			const price = etherAt(atMs);
			return price && Number(price.answer) / 10 ** price.decimals;
		},
		weiOf(currency, amount, atMs) {
			if (amount === 0n || ETHER[chain]?.includes(currency)) return amount;
			const ether = etherAt(atMs);
			const price = priceAt((feed) => {
				const names = feed.coin === coins.ape ? APE : [feed.coin.address];
				return feed.chain === chain && names.includes(currency);
			}, atMs);
			if (!ether || !price) return null;
			const dollars = amount * price.answer * 10n ** BigInt(ether.decimals);
			const whole = ether.answer * 10n ** BigInt(price.decimals + price.coin.decimals);
			return (dollars * WEI) / whole;
		},
		etherOfSymbol(symbol, value, atMs) {
			if (ETHER_SYMBOLS.includes(symbol)) return value;
			const ether = etherAt(atMs);
			const price = priceAt((feed) => {
				const names = feed.coin === coins.ape ? APE_SYMBOLS : [feed.coin.symbol];
				return feed.chain === chain && names.includes(symbol);
			}, atMs);
			if (!ether || !price) return null;
			const inDollars = (value * Number(price.answer)) / 10 ** price.decimals;
			return inDollars / (Number(ether.answer) / 10 ** ether.decimals);
		},
	};
}

/** Values an event by the rates of its own time. */
export function priced(fact: UnpricedFact, rates: Rates): Fact {
	const { total, currency, atMs } = fact;
	const worth = total === null || currency === null ? null : rates.weiOf(currency, total, atMs);
	return { ...fact, worth, etherDollars: rates.dollarsAt(atMs) };
}

/** Returns the value of one unit in dollars at its time. */
export function dollarsOf(fact: Fact): number | null {
	const unit = unitWorthOf(fact);
	return inDollars(unit === null ? null : ether(unit), fact.etherDollars);
}

/** Returns the value of one unit in wei. */
export function unitWorthOf(fact: Fact): bigint | null {
	const worth = worthOf(fact);
	return worth === null ? null : worth / fact.quantity;
}

/** Returns ether in dollars; null if either is not known. */
export function inDollars(value: number | null, etherDollars: number | null): number | null {
	return value === null || etherDollars === null ? null : value * etherDollars;
}

/**
 * Returns sales, volume and mints of a window, by sections 2.1 to 2.6 and "Windows" of the
 * decisions.
 */
export function windowFigures(view: View, nowMs: number, window: Window) {
	const startMs = windowStart(nowMs, window);
	const { lanesFromMs } = view;
	const count = (kind: Fact["kind"]): Figure => {
		const known = factsSince(view.known, kind, startMs);
		const truth = factsSince(view.truth, kind, startMs);
		const isLooked = known.length > 0 || looked(view, nowMs);
		const wasLooked = known.length > 0 || lookedAfter(view, startMs + 2 * MINUTE_MS);
		return {
			unit: "count",
			window,
			value: isLooked ? known.length : null,
			mayBeNull: isLooked && !wasLooked,
			raw: null,
			reasons: isLooked ? [] : ["not_covered"],
			sources: sourcesOf(view),
			span: { startMs, endMs: nowMs, known, truth, priced: 1, lanesFromMs },
			share: null,
			toldAt: null,
		};
	};
	const sales = denied(count("sale"), view);
	return { sales, mints: count("mint"), volume: volumeOf(sales) };
}

/** Returns accepted sales of a range, which begins at a whole minute. */
export function inRange(facts: readonly Fact[], range: keyof typeof RANGES, nowMs: number): Fact[] {
	const hours = RANGES[range];
	const startMs = hours === null ? 0 : Math.floor(nowMs / MINUTE_MS - hours * 60) * MINUTE_MS;
	return factsSince(facts, "sale", startMs);
}

export function factsSince(facts: readonly Fact[], kind: Fact["kind"], startMs: number): Fact[] {
	return facts.filter((fact) => fact.kind === kind && fact.accepted && fact.atMs >= startMs);
}

/** Says whether a minute of any window up to now was read. */
function looked({ lanesFromMs, told, address }: View, nowMs: number): boolean {
	const isRead = lanesFromMs !== null && lanesFromMs < nowMs - 2 * MINUTE_MS;
	return isRead || (told.eventAnswers.length > 0 && address !== null);
}

/**
 * Says whether a source certainly told something after this time: a block was read, or an answer
 * came.
 */
function lookedAfter({ lanesUntilMs, lanesFromMs, told }: View, atMs: number): boolean {
	// A first reading covers the time until it began, however long its pages took.
	const [first] = told.eventAnswers;
	const answered = first !== undefined && first.atMs > atMs;
	const isRead =
		lanesUntilMs !== null && lanesUntilMs > Math.max(atMs, (lanesFromMs ?? 0) + 2 * MINUTE_MS);
	return answered || isRead;
}

function sourcesOf({ lanesFromMs, told }: View): string[] {
	return [
		...(lanesFromMs === null ? [] : ["chain"]),
		...(told.eventAnswers.length > 0 ? ["provider"] : []),
	];
}

/** Turns a zero into unknown for a day on which the provider's stats count sales. */
function denied(sales: Figure, { told, isSole, lanesFromMs }: View): Figure {
	const isNone = sales.value === 0 && sales.window === "24h";
	const day = told.stats.at(-1)?.answer.intervals.find((one: any) => one.interval === "one_day");
	if (!isNone || !isSole || !((day?.sales ?? 0) > 0)) return sales;
	const figure = { ...sales, reasons: ["contradicted"] };
	// The chain's own zero stands where its lanes read the whole day.
	const isWhole = lanesFromMs !== null && lanesFromMs <= (sales.span?.startMs ?? 0) + MINUTE_MS;
	return isWhole ? { ...figure, mayBeNull: true } : { ...figure, value: null };
}

function volumeOf(sales: Figure): Figure {
	const known = sales.span?.known ?? [];
	const worths = known.flatMap((sale) => worthOf(sale) ?? []);
	const raw = worths.reduce((sum, worth) => sum + worth, 0n);
	const figure = { ...sales, unit: "ETH" as const };
	const unknown = { ...figure, value: null, raw: null };
	if (sales.value === null) return unknown;
	if (known.length === 0) return { ...figure, value: 0, raw };
	if (worths.length === 0) return { ...unknown, reasons: ["no_price"] };
	const span = sales.span && { ...sales.span, priced: worths.length / known.length };
	return { ...figure, value: ether(raw), raw, span };
}
