// Computes holders' pending rewards, and a trader's place in the league.

import { z } from "zod";
import { type Address, isAddress } from "#core/chain/Hex.ts";
import type { Clock } from "#core/clock.ts";
import type { Database } from "#core/db/Database.ts";
import { field } from "#core/http/openapi/schema.ts";
import { mulDiv } from "#core/money.ts";
import { dollarsOf, moneyOf, statusOf } from "#plugins/tokenomics/economics/createEconomics.ts";
import {
	figureSchema,
	NOT_LAUNCHED,
	statusSchema,
} from "#plugins/tokenomics/economics/economicsSchema.ts";
import type { EconomicsRows } from "#plugins/tokenomics/economics/readEconomics.ts";
import { LEAGUE_RULE, seasonOf } from "#plugins/tokenomics/league.ts";
import { holders, standings } from "#plugins/tokenomics/sql/holders.ts";

type RewardsDeps = {
	db: Database;
	clock: Clock;
	/** Returns the rows that the figures are made of; null: the token is not launched. */
	rows(): Promise<EconomicsRows | null>;
};

const pending = (whose: string) =>
	z.array(figureSchema).meta({
		description:
			`By currency, ${whose}. An estimate, rounded down: what the router has not paid yet goes to the ` +
			"share's payee, who pays it on.",
	});

export const rewardsSchema = z
	.object({
		status: statusSchema,
		accounts: z
			.array(
				z
					.object({
						address: field.addressText("The account."),
						balance: figureSchema.meta({ description: "How much of the token it holds." }),
						pending: pending("the holders' unpaid share by the part of all tokens that it holds"),
					})
					.meta({ id: "HolderRewards", description: "What one account has pending." }),
			)
			.meta({ description: "Each account that was asked for." }),
		pending: pending("all of these accounts together"),
		servedAt: field.time("When this was answered."),
	})
	.meta({ id: "TokenRewards", description: "What holders have pending." });
export type TokenRewards = z.output<typeof rewardsSchema>;

export const placeSchema = z
	.object({
		status: statusSchema,
		season: field.text("A month of the calendar, UTC.", "2026-11"),
		endsAt: field.time("When it ends."),
		rule: field.text("What counts.", "Settled trades of a month, UTC, of at least a dollar."),
		place: field
			.integer("Who has most is 1; null: nothing counts, or a thousand others have more.", 7)
			.nullable(),
		volume: figureSchema.nullable().meta({ description: "What of the trades counts." }),
		traded: figureSchema.nullable().meta({ description: "All that was settled." }),
		trades: field.integer("Trades of which something counts.", 14),
		pending: pending("the league's unpaid share by the part of the season's volume"),
		servedAt: field.time("When this was answered."),
	})
	.meta({ id: "LeaguePlace", description: "Where a trader stands in the season." });
export type LeaguePlace = z.output<typeof placeSchema>;

export type Rewards = ReturnType<typeof createRewards>;

const HOLDERS_BUCKET = 0;
const LEAGUE_BUCKET = 1;
/** Accounts of one question: wallets that a profile may have. */
const ACCOUNTS_MAX = 50;

/**
 * Returns what reads pending rewards and places. Shares that the router has not paid are divided by
 * balances at the ledger's block and by what counts of the season: who asks learns what is due, and
 * nothing is promised by it. While the ledger is being rebuilt figures are null.
 */
export function createRewards({ db, clock, rows }: RewardsDeps) {
	return {
		async ofAccounts(asked: readonly string[]): Promise<TokenRewards> {
			const addresses = [...new Set(asked.filter(isAddress))].slice(0, ACCOUNTS_MAX);
			const servedAt = new Date(clock.nowMs()).toISOString();
			const found = await rows();
			if (!found) return { status: NOT_LAUNCHED, accounts: [], pending: [], servedAt };
			const balances = new Map(
				(await holders.of(db, found, addresses)).map(({ holder, balance }) => [holder, balance]),
			);
			const { ofToken } = moneyOf(found, clock.nowMs());
			const supply = found.minted - found.tokenBurned;
			const of = { bucket: HOLDERS_BUCKET, whole: supply, nowMs: clock.nowMs() };
			const accounts = addresses.map((address) => {
				const balance = balances.get(address) ?? 0n;
				const due = pendingOf(found, { ...of, part: balance });
				return { address, balance: ofToken(balance), pending: due };
			});
			const all = [...balances.values()].reduce((sum, balance) => sum + balance, 0n);
			const due = pendingOf(found, { ...of, part: all });
			return { status: statusOf(found), accounts, pending: due, servedAt };
		},

		async placeOf(profileId: string): Promise<LeaguePlace> {
			const nowMs = clock.nowMs();
			const { name: season, toMs } = seasonOf(nowMs);
			const about = {
				...{ season, endsAt: new Date(toMs).toISOString(), rule: LEAGUE_RULE },
				servedAt: new Date(nowMs).toISOString(),
			};
			const none = { place: null, volume: null, traded: null, trades: 0, pending: [] };
			const found = await rows();
			if (!found) return { status: NOT_LAUNCHED, ...about, ...none };
			const status = statusOf(found);
			const standing = await standings.ofProfile(db, season, profileId);
			if (!standing) return { status, ...about, ...none };
			const { rank: place, usdMicros: part, tradedUsdMicros, trades } = standing;
			const whole = found.season?.usdMicros ?? 0n;
			return {
				...{ status, ...about, place, trades },
				volume: dollarsOf(part, found.season, nowMs),
				traded: dollarsOf(tradedUsdMicros, found.season, nowMs),
				pending: pendingOf(found, { bucket: LEAGUE_BUCKET, part, whole, nowMs }),
			};
		},
	};
}

/** Divides what a bucket was not paid yet, by currency; currencies without any are left out. */
function pendingOf(
	rows: EconomicsRows,
	of: { bucket: number; part: bigint; whole: bigint; nowMs: number },
): TokenRewards["pending"] {
	const { bucket, whole, nowMs } = of;
	// What was read in another moment may be more than all there was in this one.
	const part = of.part > whole ? whole : of.part;
	if (part <= 0n) return [];
	const { amount } = moneyOf(rows, nowMs);
	return rows.revenue.flatMap(({ currency }: { currency: Address }) => {
		const owed = rows.earned(currency, bucket) - rows.paid(currency, bucket);
		return owed > 0n ? [amount(mulDiv(owed, part, whole, "down"), currency)] : [];
	});
}
