import type { Address } from "#core/chain/Hex.ts";
import type { Clock } from "#core/clock/Clock.ts";
import type { Database } from "#core/db/Database.ts";
import { Fault } from "#core/fault/Fault.ts";
import type { Job } from "#core/schedule/Job.ts";
import {
	createSeasonCount,
	type Season,
	seasonOf,
} from "#plugins/tokenomics/league/countSeason.ts";
import { LEAGUE_EVERY_MS, LEAGUE_TIMEOUT_MS, STANDINGS_KEPT } from "#plugins/tokenomics/limits.ts";
import { type Standing, standings } from "#plugins/tokenomics/sql/standings.ts";
import type { Trading } from "#plugins/trading/contract.ts";
import type { Wallets } from "#plugins/wallets/contract.ts";

export type LeagueDeps = {
	db: Database;
	clock: Clock;
	trading: Trading;
	wallets: Pick<Wallets, "principalOf"> & { execution: Pick<Wallets["execution"], "held"> };
};

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
