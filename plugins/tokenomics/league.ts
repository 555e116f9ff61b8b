// Counts the settled volume of traders in a month, without wash trades.

import type { Address } from "#core/chain/Hex.ts";
import type { Clock } from "#core/clock.ts";
import type { Database } from "#core/db/Database.ts";
import { Fault } from "#core/fault.ts";
import type { Job } from "#core/schedule.ts";
import { LEAGUE_EVERY_MS, LEAGUE_TIMEOUT_MS, STANDINGS_KEPT } from "#plugins/tokenomics/limits.ts";
import { type Standing, standings } from "#plugins/tokenomics/sql/holders.ts";
import type { SettledTrade, Trading } from "#plugins/trading/contract.ts";
import type { Wallets } from "#plugins/wallets/contract.ts";

type Counted = {
	profileId: string;
	/** What counts, in microdollars. */
	usdMicros: bigint;
	/** Trades of which something counts. */
	trades: number;
};

type SeasonCount = {
	/** Who has most first. Whoever came there first is before others of the same volume. */
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

type Counting = {
	trade: SettledTrade;
	/** What of it was not turned back so far. */
	leftUsdMicros: bigint;
};

/** A trade below counts nothing: a thousand of them cost nothing either. */
const LEAST_USD_MICROS = 1_000_000n;

/** What is turned back within so long counts on neither side. */
const ROUND_TRIP_MS = 3_600_000;

const PAGE = 1_000;
/** A trade that was asked for at the end of a season may be settled after it. */
const OVERLAP_MS = 86_400_000;

/**
 * Counts the season anew every five minutes, and for a day the one before it: whoever reads the
 * league reads a hundred rows, however many trades there were.
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
 * Counts the settled volume of each trader, without wash trades. The rules, which anybody can check
 * against the chain, are in the plugin's README:
 *
 * 1. A trade of less than a dollar counts nothing.
 * 2. What one trader buys and sells again of the same asset, or sells and buys again, within an
 *    hour counts on neither side, dollar for dollar; what was traded first is turned back first.
 *
 * Trades come in order of time. What is more than an hour old is settled and forgotten, so memory
 * grows with the trades of an hour.
 */
export function createSeasonCount() {
	const open = new Map<string, Counting[]>();
	const traders = new Map<string, Counted & { lastId: string }>();
	let leftOut = 0n;
	let settledUpToMs = Number.NEGATIVE_INFINITY;

	function settle({ trade, leftUsdMicros }: Counting): void {
		leftOut += trade.usdMicros - leftUsdMicros;
		if (leftUsdMicros <= 0n) return;
		const { profileId, id: lastId } = trade;
		const old = traders.get(profileId) ?? { profileId, usdMicros: 0n, trades: 0, lastId };
		const usdMicros = old.usdMicros + leftUsdMicros;
		// Assets are settled one after the other, so not in the order of their trades.
		const newest = old.lastId > lastId ? old.lastId : lastId;
		traders.set(profileId, { profileId, usdMicros, trades: old.trades + 1, lastId: newest });
	}

	/** Settles what is older than that: nothing turns it back any more. */
	function settleUpTo(ms: number): void {
		for (const [key, waiting] of open) {
			const kept = waiting.filter(({ trade }) => trade.createdAt.getTime() >= ms);
			const over = waiting.slice(0, waiting.length - kept.length);
			over.forEach(settle);
			if (kept.length === 0) open.delete(key);
			else open.set(key, kept);
		}
	}

	return {
		add(trade: SettledTrade): void {
			if (trade.usdMicros < LEAST_USD_MICROS) {
				leftOut += trade.usdMicros;
				return;
			}
			const atMs = trade.createdAt.getTime();
			// All traders are looked at once a minute of trades, not with each trade.
			if (atMs - ROUND_TRIP_MS > settledUpToMs + ROUND_TRIP_MS / 60) {
				settledUpToMs = atMs - ROUND_TRIP_MS;
				settleUpTo(settledUpToMs);
			}
			const key = `${trade.profileId} ${trade.asset}`;
			const waiting = open.get(key) ?? [];
			const fresh: Counting = { trade, leftUsdMicros: trade.usdMicros };
			for (const one of waiting) {
				const isTurnedBack =
					one.trade.side !== trade.side && atMs - one.trade.createdAt.getTime() < ROUND_TRIP_MS;
				if (!isTurnedBack) continue;
				const turned = lesser(one.leftUsdMicros, fresh.leftUsdMicros);
				one.leftUsdMicros -= turned;
				fresh.leftUsdMicros -= turned;
			}
			open.set(key, [...waiting, fresh]);
		},
		end(): SeasonCount {
			settleUpTo(Number.POSITIVE_INFINITY);
			const ranked = [...traders.values()].sort((one, other) => {
				if (one.usdMicros !== other.usdMicros) return one.usdMicros > other.usdMicros ? -1 : 1;
				return one.lastId < other.lastId ? -1 : 1;
			});
			return {
				traders: ranked.map(({ lastId, ...counted }) => counted),
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
	const count = createSeasonCount();
	const { fromMs, toMs, name } = season;
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
		rows.push({ ...trader, rank: index + 1, wallet: await walletOf(deps, trader.profileId) });
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

function lesser(one: bigint, other: bigint): bigint {
	if (one < other) return one;
	return other;
}
