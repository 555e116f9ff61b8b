// Counts the settled volume of traders in a month, without wash trades.

import type { Address } from "#core/chain/Hex.ts";
import type { Clock } from "#core/clock.ts";
import type { Database } from "#core/db/Database.ts";
import { Fault } from "#core/fault.ts";
import { mulDiv } from "#core/money.ts";
import type { Job } from "#core/schedule.ts";
import { DAY_MS, HOUR_MS } from "#core/time.ts";
import {
	LEAGUE_EVERY_MS,
	LEAGUE_TIMEOUT_MS,
	STANDINGS_KEPT,
	STANDINGS_NAMED,
} from "#plugins/tokenomics/limits.ts";
import { type Standing, standings } from "#plugins/tokenomics/sql/holders.ts";
import type { SettledTrade, Trading } from "#plugins/trading/contract.ts";
import type { Wallets } from "#plugins/wallets/contract.ts";

type Counted = {
	profileId: string;
	/** The volume that counts, in microdollars. */
	usdMicros: bigint;
	/** Sums all that was settled, before the rule. */
	tradedUsdMicros: bigint;
	/** Trades of which something counts. */
	trades: number;
};

type SeasonCount = {
	/** Traders by volume, highest first; of equal ones, who reached it first. */
	traders: Counted[];
	leftOutUsdMicros: bigint;
};

/** A season: a month of the calendar, UTC. */
type Season = { name: string; fromMs: number; toMs: number };

type LeagueDeps = {
	db: Database;
	clock: Clock;
	trading: Trading;
	wallets: Pick<Wallets, "principalOf"> & { execution: Pick<Wallets["execution"], "held"> };
};

/** A trade that may be turned back still. */
type Open = {
	trade: SettledTrade;
	atMs: number;
	/** The volume of it that was not reversed so far. */
	leftUsdMicros: bigint;
	/** Says whether a part of the trade counts already. */
	hasCounted: boolean;
};

/**
 * A trade below counts nothing: a thousand of them cost nothing either. It turns others back all
 * the same, or a sale in small parts would be none.
 */
const LEAST_USD_MICROS = 1_000_000n;

/** The time within which a reversed trade counts nothing, on neither side. */
const NOTHING_BEFORE_MS = HOUR_MS;

/**
 * The time after which a reversed trade counts in full; before it, in proportion to the time held.
 */
const BACK_AND_FORTH_MS = 7 * DAY_MS;

const ALWAYS = { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY };

/** Says which trades count, for readers of the league. */
export const LEAGUE_RULE =
	"Settled trades of a month, UTC, of at least a dollar, by profile: all of its wallets together. What " +
	"is bought and sold again of one asset, or sold and bought again, is back-and-forth for seven days: " +
	"dollar for dollar, the oldest first, both sides count by how long it was held (a day: one seventh), " +
	"and nothing within an hour. After seven days, and while it is not turned back, all of it counts.";

const PAGE = 1_000;
/** A trade that was asked for at the end of a season may be settled, and turned back, after it. */
const OVERLAP_MS = BACK_AND_FORTH_MS + DAY_MS;

/**
 * Counts the season anew every five minutes, and for eight days the one before it: whoever reads
 * the league reads few rows, however many trades there were.
 */
export function leagueJob(deps: LeagueDeps): Job {
	return {
		name: "tokenomics.league",
		schedule: { everyMs: LEAGUE_EVERY_MS },
		lock: "cluster",
		timeoutMs: LEAGUE_TIMEOUT_MS,
		async run({ signal }) {
			const nowMs = deps.clock.nowMs();
			const now = seasonOf(nowMs);
			const before = seasonOf(nowMs - OVERLAP_MS);
			if (before.name !== now.name) await countSeason(deps, before, signal);
			await countSeason(deps, now, signal);
		},
	};
}

/**
 * Counts the settled volume of each trader by `LEAGUE_RULE`, which anybody can check against the
 * chain. Holding costs the risk of the price, so what counts is bound to money and time: who turns
 * the same money back more often counts no more by it, and who resells after days is not left out.
 *
 * Trades come in order of time; those outside of the season only turn others back. At each moment
 * what is open of an asset is of one side, so a trade is looked at once for each that it turns
 * back. What is older than the rule's time is settled and forgotten.
 */
export function createSeasonCount({ fromMs, toMs }: Pick<Season, "fromMs" | "toMs"> = ALWAYS) {
	const open = new Map<string, Open[]>();
	const traders = new Map<string, Counted & { lastId: string }>();
	let leftOut = 0n;
	let settledUpToMs = Number.NEGATIVE_INFINITY;
	const isOf = (atMs: number) => atMs >= fromMs && atMs < toMs;

	function credit(one: Open, usdMicros: bigint): void {
		const { trade, atMs } = one;
		const trader = traders.get(trade.profileId);
		const isLess = trade.usdMicros < LEAST_USD_MICROS;
		if (!trader || usdMicros <= 0n || isLess || !isOf(atMs)) return;
		leftOut -= usdMicros;
		trader.usdMicros += usdMicros;
		if (!one.hasCounted) trader.trades += 1;
		one.hasCounted = true;
		// Assets are settled one after the other, so not in the order of their trades.
		if (trade.id > trader.lastId) trader.lastId = trade.id;
	}

	/** Settles what is older than that: nothing turns it back any more. */
	function settleUpTo(ms: number): void {
		for (const [key, waiting] of open) {
			for (const one of takeOld(waiting, ms)) credit(one, one.leftUsdMicros);
			if (waiting.length === 0) open.delete(key);
		}
	}

	function note({ profileId, usdMicros }: SettledTrade): void {
		const none = { profileId, usdMicros: 0n, tradedUsdMicros: 0n, trades: 0, lastId: "" };
		const trader = traders.get(profileId) ?? none;
		trader.tradedUsdMicros += usdMicros;
		traders.set(profileId, trader);
		leftOut += usdMicros;
	}

	/** Turns back what is open of the other side, the oldest first; the rest is open as well. */
	function turnBack(waiting: Open[], fresh: Open): void {
		let turned = 0;
		for (const one of waiting) {
			if (one.trade.side === fresh.trade.side || fresh.leftUsdMicros === 0n) break;
			const usdMicros = lesser(one.leftUsdMicros, fresh.leftUsdMicros);
			const counts = countedOf(usdMicros, fresh.atMs - one.atMs);
			for (const side of [one, fresh]) {
				side.leftUsdMicros -= usdMicros;
				credit(side, counts);
			}
			turned += one.leftUsdMicros === 0n ? 1 : 0;
		}
		waiting.splice(0, turned);
		if (fresh.leftUsdMicros > 0n) waiting.push(fresh);
	}

	return {
		add(trade: SettledTrade): void {
			const atMs = trade.createdAt.getTime();
			if (isOf(atMs)) note(trade);
			// All traders are looked at once an hour of trades, not with each trade.
			const oldMs = atMs - BACK_AND_FORTH_MS;
			if (oldMs > settledUpToMs + HOUR_MS) {
				settledUpToMs = oldMs;
				settleUpTo(oldMs);
			}
			const key = `${trade.profileId} ${trade.asset}`;
			const waiting = open.get(key) ?? [];
			open.set(key, waiting);
			for (const one of takeOld(waiting, oldMs)) credit(one, one.leftUsdMicros);
			turnBack(waiting, { trade, atMs, leftUsdMicros: trade.usdMicros, hasCounted: false });
		},
		end(): SeasonCount {
			settleUpTo(Number.POSITIVE_INFINITY);
			const counted = [...traders.values()].filter(({ usdMicros }) => usdMicros > 0n);
			const ranked = counted.sort((one, other) => {
				if (one.usdMicros !== other.usdMicros) return one.usdMicros > other.usdMicros ? -1 : 1;
				return one.lastId < other.lastId ? -1 : 1;
			});
			return {
				traders: ranked.map(({ lastId, ...trader }) => trader),
				leftOutUsdMicros: leftOut,
			};
		},
	};
}

/** Returns the month that a moment is in. */
export function seasonOf(ms: number): Season {
	const at = new Date(ms);
	const [year, month] = [at.getUTCFullYear(), at.getUTCMonth()];
	return {
		name: new Date(Date.UTC(year, month)).toISOString().slice(0, 7),
		fromMs: Date.UTC(year, month),
		toMs: Date.UTC(year, month + 1),
	};
}

async function countSeason(deps: LeagueDeps, season: Season, signal: AbortSignal): Promise<void> {
	const { db, clock, trading, wallets } = deps;
	const count = createSeasonCount(season);
	const { name } = season;
	// What is turned back across the season's ends is turned back all the same.
	const fromMs = season.fromMs - BACK_AND_FORTH_MS;
	const toMs = season.toMs + BACK_AND_FORTH_MS;
	for (let afterId: string | null = null; ; ) {
		signal.throwIfAborted();
		const page = await trading.settledTrades({ fromMs, toMs, afterId, limit: PAGE });
		const held = await wallets.execution.held(
			db,
			page.map(({ intentId }) => intentId),
		);
		const stands = new Set(
			held.filter(({ status }) => status === "confirmed").map(({ intentId }) => intentId),
		);
		for (const trade of page) if (stands.has(trade.intentId)) count.add(trade);
		afterId = page.at(-1)?.id ?? null;
		if (afterId === null || page.length < PAGE) break;
	}
	const { traders, leftOutUsdMicros } = count.end();
	const rows: Standing[] = [];
	for (const [index, trader] of traders.slice(0, STANDINGS_KEPT).entries()) {
		const isNamed = index < STANDINGS_NAMED;
		const wallet = isNamed ? await walletOf(deps, trader.profileId) : null;
		rows.push({ ...trader, rank: index + 1, wallet });
	}
	const usdMicros = traders.reduce((sum, trader) => sum + trader.usdMicros, 0n);
	const countedAt = new Date(clock.nowMs());
	const total = { traders: traders.length, usdMicros, leftOutUsdMicros, countedAt };
	await db.transaction((tx) => standings.write(tx, name, { rows, total }));
}

/** Returns the wallet that a trader is shown by; null where the profile is gone, or has none. */
async function walletOf({ wallets }: LeagueDeps, profileId: string): Promise<Address | null> {
	try {
		const caller = { channel: "agent", profileId, authority: "none" } as const;
		const { profile } = await wallets.principalOf(caller);
		const own = profile.wallets.find(({ id }) => id === profile.canonicalWalletId);
		return (own ?? profile.wallets[0])?.address ?? null;
	} catch (error) {
		if (error instanceof Fault) return null;
		throw error;
	}
}

/** Returns what counts on each side of what was held for so long. */
function countedOf(usdMicros: bigint, heldMs: number): bigint {
	if (heldMs < NOTHING_BEFORE_MS) return 0n;
	if (heldMs >= BACK_AND_FORTH_MS) return usdMicros;
	return mulDiv(usdMicros, BigInt(heldMs), BigInt(BACK_AND_FORTH_MS), "down");
}

/** Takes out what nothing turns back any more. */
function takeOld(waiting: Open[], oldMs: number): Open[] {
	const kept = waiting.findIndex(({ atMs }) => atMs > oldMs);
	return waiting.splice(0, kept === -1 ? waiting.length : kept);
}

function lesser(one: bigint, other: bigint): bigint {
	if (one < other) return one;
	return other;
}
