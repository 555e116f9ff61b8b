import { readAbiUint } from "#core/chain/abi/readAbiUint.ts";
import type { Address } from "#core/chain/Hex.ts";
import type { Rpc, RpcOutcome } from "#core/chain/rpc/Rpc.ts";
import type { Clock } from "#core/clock/Clock.ts";
import type { Queryable } from "#core/db/Database.ts";
import type { Log } from "#core/log/Log.ts";
import { mulDiv } from "#core/money/mulDiv.ts";
import { feedAnswers, type Prices } from "#plugins/prices/contract.ts";
import { judgeFeed } from "#plugins/trading/prices/judgeFeed.ts";
import {
	SNAPSHOT_AGAIN_MS,
	SNAPSHOT_MS,
	SNAPSHOT_TIMEOUT_MS,
} from "#plugins/trading/prices/limits.ts";
import type { MarketHours } from "#plugins/trading/prices/marketHours.ts";
import { settleViews, type View } from "#plugins/trading/reads/settleViews.ts";
import type { Asset, Reference } from "#plugins/trading/registry/Asset.ts";
import { FEED_DECIMALS_MAX } from "#plugins/trading/registry/checkFeeds.ts";
import { assetRows } from "#plugins/trading/sql/assetRows.ts";

/** The price of one whole raw token; the feed already contains the multiplier. */
export type LastPrice = {
	/** The price in microdollars. */
	microsPerUnit: bigint;
	ageMs: number;
	/** `closed`: the market is closed, and this is the last price. */
	market: "open" | "closed";
};

export type References = Reference & {
	/** Returns the last price for display, also while the market is closed; null if unknown. */
	last(asset: Asset): Promise<LastPrice | null>;
};

export type ReferenceOptions = {
	chainId: number;
	rpc: Rpc;
	db: Queryable;
	clock: Clock;
	log: Log;
	/** Prices of the coin and of the settlement currencies. */
	prices: Pick<Prices, "usdRate">;
	hours: MarketHours;
	silentMs: number;
};

type Reading = { microsPerUnit: bigint; updatedAtMs: number };
type Snapshot = { takenAtMs: number; byToken: ReadonlyMap<Address, Reading | null> };

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

	async function lastOfStock({ address }: Asset): Promise<LastPrice | null> {
		const taken = await current();
		const reading = taken?.byToken.get(address);
		if (!taken || !reading) return null;
		const cohort = [...taken.byToken].filter(([token]) => token !== address);
		const others = cohort.map(([, other]) => other);
		const state = judgeFeed(reading, others, { nowMs: clock.nowMs(), hours, silentMs });
		if (state.kind === "silent") return null;
		return { microsPerUnit: reading.microsPerUnit, ageMs: state.ageMs, market: state.kind };
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
		async priceUsd(asset) {
			const price = await last(asset);
			if (price?.market === "closed") return { closed: true, ageMs: price.ageMs };
			return price && { microsPerUnit: price.microsPerUnit, ageMs: price.ageMs };
		},
	};
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
