// Reads tokens' prices from feeds, and decides which of them can be believed.

import { readAbiUint } from "#core/chain/abi.ts";
import type { Address } from "#core/chain/Hex.ts";
import type { Rpc, RpcOutcome } from "#core/chain/rpc/Rpc.ts";
import type { Clock } from "#core/clock.ts";
import type { Queryable } from "#core/db/Database.ts";
import type { Log } from "#core/log.ts";
import { mulDiv } from "#core/money.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "#core/time.ts";
import { feedAnswers, type Prices } from "#plugins/prices/contract.ts";
import type { MarketHours } from "#plugins/trading/prices/marketHours.ts";
import type { Asset, Reference } from "#plugins/trading/registry/createAssets.ts";
import { FEED_DECIMALS_MAX } from "#plugins/trading/registry/planSync.ts";
import { settleViews, type View } from "#plugins/trading/settleViews.ts";
import { assetRows } from "#plugins/trading/sql/assets.ts";

/** The last answer of a feed; null where it is no possible price. */
type FeedReading = { updatedAtMs: number } | null;

type FeedState =
	/** The feed's answer is the current price. */
	| { kind: "open"; ageMs: number }
	/** The market is closed or halted: the feed's answer is the last price. */
	| { kind: "closed"; ageMs: number }
	/** The feed has no valid answer, or stopped while others update: the price is unknown. */
	| { kind: "silent" };

type JudgeOptions = {
	nowMs: number;
	hours: MarketHours;
	/** A feed without an update for this long is silent, if other feeds update. */
	silentMs: number;
};

/** The price of one whole raw token; the feed already contains the multiplier. */
export type LastPrice = {
	/** The price in microdollars. */
	microsPerUnit: bigint;
	ageMs: number;
	/** `closed`: the market is closed, and this is the last price. */
	market: "open" | "closed";
};

/** Holds the price of a token by its feed, and how far it can be believed. */
export type PriceWord =
	/** The price of now, or the last one before the market closed. */
	| { kind: "open" | "closed"; microsPerUnit: bigint }
	/**
	 * A feed is configured and has no valid price; `lastMicros`: its last one, 30 days old at most.
	 */
	| { kind: "broken"; lastMicros: bigint | null }
	/** No feed is configured for it. */
	| { kind: "none" };

export type References = Reference & {
	/** Returns what feeds say of a price that a trade is held against. */
	word(asset: Asset): Promise<PriceWord>;
	/** Returns the last price for display, also while the market is closed; null if unknown. */
	last(asset: Asset): Promise<LastPrice | null>;
};

type ReferenceOptions = {
	chainId: number;
	rpc: Rpc;
	db: Queryable;
	clock: Clock;
	log: Log;
	/** Prices of the coin and of the settlement currencies. */
	prices: Pick<Prices, "usdRate" | "hasFeed">;
	hours: MarketHours;
	silentMs: number;
};

/** Holds what was read of a stock's feed, and how far it can be believed. */
type ReadFeed = {
	microsPerUnit: bigint;
	state: FeedState;
	isOutlived: boolean;
	isForgotten: boolean;
};

type Reading = { microsPerUnit: bigint; updatedAtMs: number };
type Snapshot = { takenAtMs: number; byToken: ReadonlyMap<Address, Reading | null> };

/** Reuses a reading of all feeds for this long. */
const SNAPSHOT_MS = 5_000;
/** The age from which a caller triggers the next reading, and does not wait for it. */
const SNAPSHOT_AGAIN_MS = 2_500;
/** The time limit for one reading of all feeds. */
const SNAPSHOT_TIMEOUT_MS = 4_000;

/** A stock feed updates at least once a day while its market is open; one hour is tolerance. */
const HEARTBEAT_MS = DAY_MS + HOUR_MS;

/**
 * The longest that a close is the last one: over Easter the market rests for three days, and a feed
 * may have spoken a day before that. On a rest day an older answer is a dead feed's.
 */
const LAST_CLOSE_MS = 5 * DAY_MS;

/**
 * Ignores the last price of a dead feed after this time: an old figure says nothing of today's
 * value.
 */
const LAST_WORD_MS = 30 * DAY_MS;

/** Limits the time in which feeds update one after the other when a market opens. */
const OPENING_MS = 15 * MINUTE_MS;

/** The least number of other feeds (a cohort) that can prove that a feed is silent. */
const COHORT_MIN = 2;

export const FEED_SILENT_SECONDS_DEFAULT = 3 * 3_600;

const ORACLE_PAUSED = "0x7706ba52";
const CALLS_PER_FEED = 3;
const MICROS = 1_000_000n;

/**
 * Makes the reader of token prices by feeds. All feeds of the registry are read in one request,
 * whichever token is asked for, and a reading is used for five seconds; a feed that an operator
 * sets is used from the next reading on.
 */
export function createReference(options: ReferenceOptions): References {
	const { chainId, clock, log, prices, hours, silentMs } = options;
	let snapshot: Snapshot | null = null;
	let taking: Promise<Snapshot | null> | null = null;
	let hasFailed = false;

	/** Reads the feeds again; null where they cannot be read. */
	async function renew(): Promise<Snapshot | null> {
		try {
			snapshot = await take(options);
			hasFailed = false;
			return snapshot;
		} catch (error) {
			if (!hasFailed) log.warn("feeds of stocks cannot be read", { error });
			hasFailed = true;
			return null;
		} finally {
			taking = null;
		}
	}

	/** Renews in time and behind the caller, so that of many trades none waits for all feeds. */
	async function current(): Promise<Snapshot | null> {
		const last = snapshot;
		const ageMs = last ? Math.abs(clock.nowMs() - last.takenAtMs) : Number.POSITIVE_INFINITY;
		if (ageMs < SNAPSHOT_AGAIN_MS) return last;
		taking ??= renew();
		return ageMs < SNAPSHOT_MS ? last : taking;
	}

	async function readStock({ address }: Asset): Promise<ReadFeed | null> {
		const taken = await current();
		const reading = taken?.byToken.get(address);
		if (!taken || !reading) return null;
		const cohort = [...taken.byToken].filter(([token]) => token !== address);
		const others = cohort.map(([, other]) => other);
		const state = judgeFeed(reading, others, { nowMs: clock.nowMs(), hours, silentMs });
		const isOutlived = isOutlivedBy(reading, others, silentMs);
		const isForgotten = ageOf(reading, clock.nowMs()) > LAST_WORD_MS;
		return { microsPerUnit: reading.microsPerUnit, state, isOutlived, isForgotten };
	}

	async function lastOfStock(asset: Asset): Promise<LastPrice | null> {
		const read = await readStock(asset);
		if (!read || read.state.kind === "silent") return null;
		const { microsPerUnit, state } = read;
		return { microsPerUnit, ageMs: state.ageMs, market: state.kind };
	}

	async function wordOfStock(asset: Asset): Promise<PriceWord> {
		if (asset.feed === null) return { kind: "none" };
		return wordOfFeed(await readStock(asset));
	}

	function lastOfCurrency({ address }: Asset): LastPrice | null {
		const nowMs = clock.nowMs();
		const rate = prices.usdRate({ chainId, currency: address }, nowMs);
		const microsPerUnit = rate && microsOf(rate.answer, rate.decimals);
		if (!rate || microsPerUnit === null) return null;
		return { microsPerUnit, ageMs: Math.max(0, nowMs - rate.updatedAtMs), market: "open" };
	}

	const last: References["last"] = async (asset) => {
		if (asset.chainId !== chainId) return null;
		return asset.kind === "stock" ? lastOfStock(asset) : lastOfCurrency(asset);
	};
	return {
		last,
		async word(asset) {
			if (asset.chainId === chainId && asset.kind === "stock") return wordOfStock(asset);
			const isNamed = prices.hasFeed({ chainId, currency: asset.address });
			return wordOfCurrency(await last(asset), isNamed);
		},
		async priceUsd(asset) {
			const price = await last(asset);
			if (price?.market === "closed") return { closed: true, ageMs: price.ageMs };
			return price && { microsPerUnit: price.microsPerUnit, ageMs: price.ageMs };
		},
	};
}

/** Returns what a stock's feed says of a price that a trade is held against. */
function wordOfFeed(read: ReadFeed | null): PriceWord {
	if (!read) return { kind: "broken", lastMicros: null };
	const { microsPerUnit, state, isOutlived, isForgotten } = read;
	const isOld = state.kind === "closed" && (isOutlived || state.ageMs > LAST_CLOSE_MS);
	if (state.kind !== "silent" && !isOld) return { kind: state.kind, microsPerUnit };
	return { kind: "broken", lastMicros: isForgotten ? null : microsPerUnit };
}

/** Returns the price of a currency: a feed that is configured for it and has no price is broken. */
function wordOfCurrency(price: LastPrice | null, isNamed: boolean): PriceWord {
	if (price) return { kind: "open", microsPerUnit: price.microsPerUnit };
	return isNamed ? { kind: "broken", lastMicros: null } : { kind: "none" };
}

/**
 * Decides whether a stock feed's last answer is the current price, the last price, or unknown.
 * Pure.
 *
 * A fixed age limit does not work: it raises false alarms each weekend and misses a feed that died
 * at noon. So three things decide: the market's hours, whether the feed updated since the market
 * opened, and the cohort. A feed that is silent while half of the others update is not trusted;
 * where all are silent, the market stands still, whatever the calendar says.
 */
export function judgeFeed(
	reading: FeedReading,
	/** The last answers of all other feeds of the same market. */
	cohort: readonly FeedReading[],
	{ nowMs, hours, silentMs }: JudgeOptions,
): FeedState {
	if (reading === null) return { kind: "silent" };
	const ageMs = ageOf(reading, nowMs);
	if (!hours.isOpen(nowMs)) return { kind: "closed", ageMs };
	const others = cohort.filter((other) => other !== null);
	const canTell = others.length >= COHORT_MIN;
	const share = (count: number) => count * 2 >= others.length;
	const openedAtMs = hours.openedAt(nowMs);
	if (openedAtMs !== null && reading.updatedAtMs < openedAtMs) {
		const spoke = others.filter(({ updatedAtMs }) => updatedAtMs >= openedAtMs).length;
		const isLate = nowMs - openedAtMs > OPENING_MS;
		if (isLate && canTell && share(spoke)) return { kind: "silent" };
		// Without a cohort, a feed that is silent all day is dead; the market is not.
		if (!canTell && nowMs - openedAtMs > HEARTBEAT_MS) return { kind: "silent" };
		return { kind: "closed", ageMs };
	}
	if (ageMs > silentMs && canTell) {
		const speaking = others.filter((other) => ageOf(other, nowMs) <= silentMs).length;
		if (speaking === 0) return { kind: "closed", ageMs };
		if (share(speaking)) return { kind: "silent" };
	}
	return ageMs > HEARTBEAT_MS ? { kind: "silent" } : { kind: "open", ageMs };
}

/**
 * Returns whether at least half of the other feeds updated long after this one's last answer: then
 * that is no closing price, but the last one before the feed stopped.
 */
function isOutlivedBy(
	{ updatedAtMs }: Reading,
	cohort: readonly FeedReading[],
	silentMs: number,
): boolean {
	const others = cohort.filter((other) => other !== null);
	const later = others.filter((other) => other.updatedAtMs - updatedAtMs > silentMs).length;
	return others.length >= COHORT_MIN && later * 2 >= others.length;
}

/** Reads every feed once. Throws where the chain or the database does not answer. */
async function take({ rpc, db, clock, chainId }: ReferenceOptions): Promise<Snapshot> {
	const rows = await assetRows.all(db, chainId);
	const priced = rows.flatMap(({ address, feed, kind, status }) => {
		return feed !== null && kind === "stock" && status !== "rejected" ? [{ address, feed }] : [];
	});
	const views = priced.flatMap(({ address, feed }): View[] => [
		{ to: feed, data: feedAnswers.selectors.latestRound },
		{ to: feed, data: feedAnswers.selectors.decimals },
		{ to: address, data: ORACLE_PAUSED },
	]);
	const signal = AbortSignal.timeout(SNAPSHOT_TIMEOUT_MS);
	const outcomes = await settleViews(rpc, views, { signal });
	const takenAtMs = clock.nowMs();
	const byToken = new Map(
		priced.map(({ address }, index): [Address, Reading | null] => {
			const own = outcomes.slice(index * CALLS_PER_FEED, (index + 1) * CALLS_PER_FEED);
			return [address, readingOf(own, takenAtMs)];
		}),
	);
	return { takenAtMs, byToken };
}

/**
 * Returns the price; null where the answer cannot be one (negative, 2^255, from the future, none)
 * or the oracle is paused.
 */
function readingOf(outcomes: readonly RpcOutcome[], nowMs: number): Reading | null {
	const [round, decimals, paused] = outcomes;
	if (round?.kind !== "result" || decimals?.kind !== "result") return null;
	const read = feedAnswers.parseRound(round.result, nowMs);
	const places = readAbiUint(decimals.result);
	if (read.kind !== "round" || places === null || places > BigInt(FEED_DECIMALS_MAX)) return null;
	if (!isSpeaking(paused)) return null;
	const microsPerUnit = microsOf(read.round.answer, Number(places));
	return microsPerUnit === null ? null : { microsPerUnit, updatedAtMs: read.round.updatedAtMs };
}

/**
 * Returns false while the issuer pauses the oracle, around a change of the multiplier. Older tokens
 * have no such flag and count as running.
 */
function isSpeaking(paused: RpcOutcome | undefined): boolean {
	if (paused?.kind === "fault") return paused.fault.code === "rpc_refused";
	const flag = readAbiUint(paused?.result);
	return flag === 0n || paused?.result === "0x";
}

/** Converts to microdollars per token, rounded down; null for 0. */
function microsOf(answer: bigint, decimals: number): bigint | null {
	const micros = mulDiv(answer, MICROS, 10n ** BigInt(decimals), "down");
	return micros > 0n ? micros : null;
}

/** Returns the age in milliseconds, at least 0: the chain's clock may be ahead of ours. */
function ageOf({ updatedAtMs }: { updatedAtMs: number }, nowMs: number): number {
	return Math.max(0, nowMs - updatedAtMs);
}
