// Renders the token's economics from rows that are read at most once a second.

import type { Address } from "#core/chain/Hex.ts";
import type { Clock } from "#core/clock.ts";
import type { Database } from "#core/db/Database.ts";
import { decimalString } from "#core/money.ts";
import { SECOND_MS } from "#core/time.ts";
import { type BuybackStatus, DROPPED } from "#plugins/tokenomics/buyback/openBuyback.ts";
import {
	type Economics,
	type Figure,
	NOT_LAUNCHED,
	REBUILDING,
} from "#plugins/tokenomics/economics/economicsSchema.ts";
import { type EconomicsRows, readEconomics } from "#plugins/tokenomics/economics/readEconomics.ts";
import { LEAGUE_RULE, seasonOf } from "#plugins/tokenomics/league.ts";
import { DEFAULT_SPLIT } from "#plugins/tokenomics/ledger/applyEvents.ts";
import { ECONOMICS_FRESH_MS } from "#plugins/tokenomics/limits.ts";
import type { Contracts } from "#plugins/tokenomics/manifest/checkContracts.ts";
import { BUCKET_NAMES } from "#plugins/tokenomics/treasury.ts";
import { errorOfCode } from "#plugins/wallets/contract.ts";

type EconomicsDeps = {
	db: Database;
	clock: Clock;
	contracts: Contracts;
	/** Returns how the job that buys back is doing, for the operator. */
	buybackStatus?(): Promise<BuybackStatus | null>;
};

/** Holds what is read together, once a second for all requests. */
type Read = { rows: EconomicsRows | null; worker: BuybackStatus | null };

const USD_DECIMALS = 6;

const CONFIGURED = { source: "configuration", asOf: null, ageSeconds: null } as const;

/**
 * Returns what puts the economics together, and the rows that they are put together from. Rows are
 * read at most once a second for everybody, and they are sums: no answer takes longer because there
 * were more events.
 */
export function createEconomics(deps: EconomicsDeps): {
	economics(): Promise<Economics>;
	rows(): Promise<EconomicsRows | null>;
} {
	const { clock } = deps;
	let newest: (Read & { atMs: number }) | null = null;
	let reading: Promise<Read> | null = null;

	async function readNow(nowMs: number): Promise<Read> {
		if (newest && Math.abs(nowMs - newest.atMs) < ECONOMICS_FRESH_MS) return newest;
		reading ??= readAll(deps, nowMs).finally(() => {
			reading = null;
		});
		const read = await reading;
		newest = { atMs: nowMs, ...read };
		return read;
	}

	return {
		async economics() {
			const nowMs = clock.nowMs();
			const { rows, worker } = await readNow(nowMs);
			return rows ? live(rows, worker, nowMs) : notLaunched(worker, nowMs);
		},
		rows: async () => (await readNow(clock.nowMs())).rows,
	};
}

async function readAll(deps: EconomicsDeps, nowMs: number): Promise<Read> {
	const [rows, worker] = await Promise.all([
		readEconomics(deps, nowMs),
		deps.buybackStatus?.() ?? null,
	]);
	return { rows, worker };
}

function notLaunched(worker: BuybackStatus | null, nowMs: number): Economics {
	const status = NOT_LAUNCHED;
	const shares = sharesOf(DEFAULT_SPLIT);
	return {
		split: { status, shares, revenue: [] },
		buyback: {
			...{ status, burned: null, burns: null, spent: [], last: null },
			worker: worker && workerOf(worker, false),
		},
		holders: { status, count: null, supply: null, burned: null, earned: [] },
		league: {
			...{ status, season: null, endsAt: null, rule: LEAGUE_RULE, traders: null },
			...{ traded: null, volume: null, leftOut: null, standings: [], earned: [] },
		},
		servedAt: new Date(nowMs).toISOString(),
	};
}

function live(rows: EconomicsRows, worker: BuybackStatus | null, nowMs: number): Economics {
	const money = moneyOf(rows, nowMs);
	const { count, amount, ofToken } = money;
	const burns = rows.burns.reduce((sum, one) => sum + one.entries, 0);
	const burned = rows.burns.reduce((sum, one) => sum + one.burned, 0n);
	const { last } = rows;
	const status = statusOf(rows);
	const earnedBy = (bucket: number) =>
		rows.revenue.map(({ currency }) => amount(rows.earned(currency, bucket), currency));
	return {
		split: {
			status,
			shares: splitOf(rows, nowMs),
			revenue: rows.revenue.map(({ currency, amount: received }) => ({
				currency,
				received: amount(received, currency),
				buckets: BUCKET_NAMES.map((bucket, index) => ({
					bucket,
					earned: amount(rows.earned(currency, index), currency),
					paid: amount(rows.paid(currency, index), currency),
				})),
			})),
		},
		buyback: {
			...{ status, burned: ofToken(burned), burns: count(burns, "burns") },
			spent: rows.burns.map(({ currency, amount: spent }) => amount(spent, currency)),
			last: last && {
				burned: ofToken(last.burned, last.at),
				spent: amount(last.spent, last.currency, last.at),
				transactionHash: last.transactionHash,
			},
			worker: worker && workerOf(worker, rows.isRebuilding),
		},
		holders: {
			...{ status, count: count(rows.holders, "accounts") },
			supply: ofToken(rows.minted - rows.tokenBurned),
			burned: ofToken(rows.tokenBurned),
			earned: earnedBy(0),
		},
		league: { ...leagueOf(rows, { nowMs, earned: earnedBy(1) }), status },
		servedAt: new Date(nowMs).toISOString(),
	};
}

/**
 * Shows how buying back goes. While blocks that were final are gone, a confirmed purchase may have
 * been in them: then it is uncertain until all was read again.
 */
function workerOf(status: BuybackStatus, isRebuilding: boolean): Economics["buyback"]["worker"] {
	const { isEnabled: enabled, code, detail, lookedAt, nextAt, lastRun } = status;
	const isInDoubt = isRebuilding && lastRun?.status === "confirmed";
	const errorCode = isInDoubt ? DROPPED : (lastRun?.errorCode ?? null);
	return {
		...{ enabled, code, detail },
		checkedAt: lookedAt?.toISOString() ?? null,
		nextAt: nextAt?.toISOString() ?? null,
		run: lastRun && {
			startedAt: lastRun.startedAt.toISOString(),
			...{
				status: isInDoubt ? "uncertain" : lastRun.status,
				errorCode,
				currency: lastRun.currency,
			},
			// Its figures are those of the deployment's own profile, and this is public.
			error: errorCode === null ? null : errorOfCode(errorCode),
			...{ boundRaw: String(lastRun.spendRaw), spentRaw: String(lastRun.heldRaw) },
		},
		left: status.left.map(({ currency, symbol, raw, code }) => ({ currency, symbol, raw, code })),
	};
}

function leagueOf(
	{ season, standings }: EconomicsRows,
	{ nowMs, earned }: { nowMs: number; earned: Figure[] },
): Economics["league"] {
	const now = seasonOf(nowMs);
	const at = season?.countedAt ?? null;
	const about = { source: "trades", ...ageOf(at, nowMs) } as const;
	const dollars = (micros: bigint) => dollarsOf(micros, season, nowMs);
	const traders = season && { value: String(season.traders), raw: null, unit: "traders", ...about };
	return {
		...{ status: "live", season: now.name, endsAt: new Date(now.toMs).toISOString(), traders },
		rule: LEAGUE_RULE,
		traded: season && dollars(season.usdMicros + season.leftOutUsdMicros),
		volume: season && dollars(season.usdMicros),
		leftOut: season && dollars(season.leftOutUsdMicros),
		standings: standings.map(({ rank, wallet, usdMicros, tradedUsdMicros, trades }) => {
			const trader = wallet && shortened(wallet);
			const volume = dollars(usdMicros);
			return { rank, trader, volume, traded: dollars(tradedUsdMicros), trades };
		}),
		earned,
	};
}

/**
 * Returns how figures of the ledger are shown: each with its currency's name and the ledger's age.
 * Until all that is final was read they are unknown: sums of a part are not nothing, and not all.
 */
export function moneyOf(rows: EconomicsRows, nowMs: number) {
	const figure = (value: string, raw: bigint | null, unit: string, at: Date | null): Figure => ({
		...{ value: at && value, raw: at && raw !== null ? String(raw) : null, unit },
		...{ source: "ledger", ...ageOf(at, nowMs) },
	});
	const amount = (raw: bigint, currency: Address, at: Date | null = rows.readAt): Figure => {
		const { symbol = null, decimals = null } = rows.known.get(currency) ?? {};
		if (decimals === null) return figure(String(raw), raw, `base units of ${currency}`, at);
		return figure(decimalString(raw, decimals), raw, symbol ?? currency, at);
	};
	return {
		amount,
		ofToken: (raw: bigint, at: Date | null = rows.readAt) => amount(raw, rows.token, at),
		count: (of: number, unit: string) => figure(String(of), null, unit, rows.readAt),
	};
}

/** Returns what of the season's trades is worth so much, with its age. */
export function dollarsOf(micros: bigint, season: EconomicsRows["season"], nowMs: number): Figure {
	return {
		...{ value: decimalString(micros, USD_DECIMALS), raw: String(micros), unit: "USD" },
		...{ source: "trades", ...ageOf(season?.countedAt ?? null, nowMs) },
	};
}

export function statusOf({ isRebuilding }: EconomicsRows): Economics["split"]["status"] {
	return isRebuilding ? REBUILDING : "live";
}

/** Returns the split in force: as the router says, or where there is none as routers begin. */
function splitOf({ splitBps, readAt, router }: EconomicsRows, nowMs: number) {
	if (router === null) return sharesOf(DEFAULT_SPLIT);
	const isKnown = splitBps !== null && readAt !== null;
	return sharesOf(isKnown ? splitBps : null, { source: "ledger", ...ageOf(readAt, nowMs) });
}

/** Returns the shares of a split as they are shown; for null they are not known yet. */
function sharesOf(
	bps: readonly number[] | null,
	about: Pick<Figure, "source" | "asOf" | "ageSeconds"> = CONFIGURED,
): Economics["split"]["shares"] {
	return BUCKET_NAMES.map((bucket, index) => {
		const value = bps && decimalString(BigInt(bps[index] ?? 0), 2);
		return { bucket, percent: { value, raw: null, unit: "%", ...about } };
	});
}

function ageOf(at: Date | null, nowMs: number): Pick<Figure, "asOf" | "ageSeconds"> {
	if (at === null) return { asOf: null, ageSeconds: null };
	const ageSeconds = Math.max(0, Math.floor((nowMs - at.getTime()) / SECOND_MS));
	return { asOf: at.toISOString(), ageSeconds };
}

function shortened(address: Address): string {
	return `${address.slice(0, 6)}…${address.slice(-4)}`;
}
