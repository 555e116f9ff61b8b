// Declares the limits and variables of buybacks, what they are made with, and why they refuse.

import { z } from "zod";
import type { Chain } from "#core/chain/Chain.ts";
import { type Address, type Hex, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { wordSchema } from "#core/chain/hexSchemas.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import type { Clock } from "#core/clock.ts";
import { commaList } from "#core/config/fields.ts";
import type { Database, Queryable } from "#core/db/Database.ts";
import { defineReasons } from "#core/fault.ts";
import type { Log } from "#core/log.ts";
import type { Prices } from "#plugins/prices/contract.ts";
import { tokenomicsFault } from "#plugins/tokenomics/faults.ts";
import { address } from "#plugins/tokenomics/limits.ts";
import type { Denial, Wallets } from "#plugins/wallets/contract.ts";

/** The contracts that a run is about, all of them there. */
export type BuybackContracts = { token: Address; router: Address; burner: Address };

/** Keeps what pools offered on both sides of their price over the time that is averaged. */
export type PoolRecord = {
	note(reading: { pool: Address; offered: bigint }, nowMs: number): void;
	/** Returns the least that a pool offered in all of that time; null: not all of it was read. */
	least(pool: Address, nowMs: number): bigint | null;
};

/** Holds what a run of buying back reads, asks and is bounded by. */
export type BuybackDeps = {
	clock: Clock;
	log: Log;
	db: Database;
	rpc: Pick<Rpc, "settle">;
	chain: Chain;
	wallets: Pick<Wallets, "execution" | "deploymentProfile">;
	prices: Pick<Prices, "usdRate">;
	/** Uniswap's QuoterV2; its factory is the one whose pools are bought through. */
	quoter: Address;
	currencies: readonly Address[];
	bounds: BuybackBounds;
	/** Keeps what pools offered on both sides of their price. */
	record: PoolRecord;
	isEnabled: boolean;
	/** Names the keeper's wallet by the wallet provider's id. */
	walletId: string | null;
	/** Lists purchases that an operator says left the chain for good. */
	goneTransactions: ReadonlySet<Hex>;
	/** The contracts in force; null where the token is not launched. */
	contractsNow(db: Queryable): Promise<{
		token: Address;
		router: Address | null;
		burner: Address | null;
	} | null>;
};

/** Says why nothing is spent, as operators are shown it. */
export type Refusal = Denial & { code: RefusalCode };

/** Bounds of every run, in the units that they are counted in. */
export type BuybackBounds = ReturnType<typeof boundsOf>;

/** Limits the currencies that one run considers. */
export const CURRENCIES_MAX = 8;

/** Limits the purchases that an operator names as gone. */
const GONE_MAX = 100;

/** Limits the pools that one run considers for a currency. */
const FEE_TIERS_MAX = 6;

/** Parts time into spans of this length: at most one run begins in each. */
export const SLOT_MS = 600_000;

/** Limits how long one turn of the job takes; what it recorded by then is carried out later. */
export const RUN_TIMEOUT_MS = 300_000;

/** Says how long a run counts for the day's maximum: a reorganised chain may still change it. */
export const RUN_OPEN_MS = 86_400_000;

/** Says how long a run is kept after it is over; what it spent is kept for ever, in a sum. */
export const RUN_KEPT_MS = 90 * 86_400_000;

/** Limits how many older runs one turn takes into the sums. */
export const FOLDED_MAX = 500;

/** Estimates the gas of one run, generously: a release, two allowances, a purchase. */
export const RUN_GAS = 1_000_000n;

/** Keeps a plan from being sent so near to its own deadline. */
export const DEADLINE_MARGIN_MS = 3_000;

export const BPS = 10_000n;

/** Uniswap's QuoterV2 on the real chain 4663. */
const V3_QUOTER = "0x33e885ed0ec9bf04ecfb19341582aadcb4c8a9e7";
const bps = z.int().min(1).max(5_000);
const dollars = z.number().min(0.01).max(1_000_000_000);

/** Declares an operator's settings of buying the token back. */
export const buybackConfig = {
	BUYBACK_ENABLED: z
		.boolean()
		.default(false)
		.describe("Whether the burn's share of revenue buys the token and burns it, by itself."),
	BUYBACK_WALLET_ID: z
		.string()
		.regex(/^[A-Za-z0-9_-]{1,64}$/)
		.optional()
		.meta({ expects: "the wallet provider's id of a wallet" })
		.describe(
			"The wallet that buys back (the keeper), by the wallet provider's id. Nobody signs in to it.",
		),
	BUYBACK_CURRENCIES: commaList(address)
		.refine((all) => all.length <= CURRENCIES_MAX, `at most ${CURRENCIES_MAX} currencies`)
		.default([ZERO_ADDRESS])
		.meta({ expects: "addresses, separated by commas; the zero address is the chain's coin" })
		.describe(
			"Currencies of revenue that the token is bought with. Others are left where they are.",
		),
	BUYBACK_FEE_TIERS: commaList(z.string().regex(/^[1-9][0-9]{0,5}$/))
		.refine((all) => all.length <= FEE_TIERS_MAX, `at most ${FEE_TIERS_MAX} fees`)
		.default(["500", "3000", "10000"])
		.meta({ expects: "fees in hundredths of a basis point, separated by commas" })
		.describe("Uniswap V3 pools that may be bought through, by their fee; the deepest is taken."),
	BUYBACK_GONE_TRANSACTIONS: commaList(wordSchema)
		.refine((all) => all.length <= GONE_MAX, `at most ${GONE_MAX} transactions`)
		.default([])
		.meta({ expects: "hashes of transactions, separated by commas" })
		.describe(
			"Purchases that left the chain for good: what they held is spent anew. Only after the " +
				"keeper's account used their nonces for something else.",
		),
	BUYBACK_V3_QUOTER: address
		.default(V3_QUOTER)
		.meta({ expects: "an address on the home chain" })
		.describe("Uniswap's QuoterV2, which plays a purchase on the chain and names its factory."),
	BUYBACK_RUN_USD_MIN: dollars
		.default(5)
		.describe("A run that would spend less waits for more revenue, in dollars."),
	BUYBACK_RUN_USD_MAX: dollars.default(500).describe("What one run spends at most, in dollars."),
	BUYBACK_DAY_USD_MAX: dollars
		.default(5_000)
		.describe("What all runs of 24 hours spend at most, in dollars."),
	BUYBACK_DEPTH_BPS_MAX: bps
		.default(50)
		.describe("The share of a pool's depth that one run spends at most, in basis points."),
	BUYBACK_SLIPPAGE_BPS_MAX: bps
		.default(200)
		.describe(
			"How much less than quoted, and than by the time-weighted price, may be burned, in basis points.",
		),
	BUYBACK_DEVIATION_BPS_MAX: bps
		.default(150)
		.describe(
			"No run while the pool's price is further from the time-weighted one, in basis points.",
		),
	BUYBACK_IMPACT_BPS_MAX: bps
		.default(100)
		.describe("No run that would move the pool's price further, in basis points."),
	BUYBACK_QUOTES_BPS_MAX: bps
		.default(25)
		.describe("No run while the two quotes are further apart, in basis points."),
	BUYBACK_TWAP_SECONDS: z
		.int()
		.min(30)
		.max(86_400)
		.default(1_800)
		.describe("The time over which the pool's price is averaged."),
	BUYBACK_JITTER_SECONDS: z
		.int()
		.min(0)
		.max(120)
		.default(60)
		.describe("A run begins at a random moment of this time, so that nobody knows when it trades."),
	BUYBACK_DEADLINE_SECONDS: z
		.int()
		.min(5)
		.max(600)
		.default(30)
		.describe("How long a purchase may wait for its block; later it changes nothing."),
};

export type BuybackConfig = z.output<z.ZodObject<typeof buybackConfig>>;

const MICROS = 1_000_000;

/**
 * Lists why a run spends nothing: each reason by its code, with a sentence. The README says what an
 * operator does about each.
 */
export const refusals = {
	disabled: "Buying back is switched off.",
	token_not_launched: "The token is not launched.",
	contracts_missing: "The revenue router or the burner is not named.",
	contracts_changed: "The contracts are others than when the run began.",
	contracts_unreadable: "A contract does not answer as router, burner or quoter.",
	no_wallet: "There is no wallet that may buy back.",
	trading_disabled: "An operator has switched this off for now.",
	previous_open: "The run before it is still under way.",
	previous_uncertain: "Nobody can say yet what became of a run before it.",
	previous_taken_back: "The run before it was not finished in time, and is taken back.",
	previous_vanished: "A purchase that was final is not on the chain any more.",
	payee_differs: "The router pays the burn's share to another address than the keeper's.",
	keeper_differs: "The burner takes orders from another address than the keeper's.",
	token_differs: "The burner burns another token.",
	keeper_without_gas: "The keeper's wallet holds too little of the chain's coin for gas.",
	nothing_to_spend: "There is not enough revenue to spend yet.",
	day_limit: "The day's maximum is spent.",
	no_price: "Nobody knows what the currency of the revenue is worth in dollars.",
	rate_moved: "The currency's price in dollars is far above the one that the run began with.",
	currency_not_named: "BUYBACK_CURRENCIES does not name that currency.",
	no_pool: "No configured pool trades the token for that currency.",
	pool_empty: "The pools hold nothing.",
	pool_too_young: "No pool knows its prices over the whole time that is averaged.",
	pool_unwatched: "No pool was watched over the whole time that is averaged yet.",
	pool_one_sided: "The pools did not both buy and sell at their price all the time.",
	observations_few: "The pools keep too few observations to average their price over the time.",
	pool_thin: "The pool is too shallow for so much.",
	price_moved: "The pool's price is too far from its average.",
	price_impact: "The purchase would move the pool's price too far.",
	quotes_disagree: "The quotes are too far apart.",
	token_unsafe: "Less would be burned than the pool pays: the token keeps a part of it.",
	simulation_failed: "It would fail on chain.",
	turn_failed: "The turn failed by a mistake of the service's own.",
	chain_unavailable: "The chain's node does not answer.",
} as const;

export type RefusalCode = keyof typeof refusals;

const LATER = "Nothing is to be done: the next turn looks again by itself.";
const LOOK = "An operator looks at the transaction of the run.";

defineReasons({
	...Object.fromEntries(Object.entries(refusals).map(([code, words]) => [code, [words, LATER]])),
	not_burned: ["The burner says nothing of a purchase by this run.", LOOK],
	supply_stands: ["The token's supply did not fall by what was burned.", LOOK],
	burned_too_little: ["Less was burned than the run's least.", LOOK],
	spend_misreported: ["The burner says another amount than the currency moved.", LOOK],
	release_unpaid: ["The router took it and paid nothing.", LOOK],
});

/**
 * Refuses limits that no run could keep together, though each of them is right alone: the token
 * would never be bought, and no error would be reported.
 */
export function refuseImpossible(config: BuybackConfig): void {
	const least = config.BUYBACK_RUN_USD_MIN;
	for (const name of ["BUYBACK_RUN_USD_MAX", "BUYBACK_DAY_USD_MAX"] as const) {
		if (least <= config[name]) continue;
		const said = `BUYBACK_RUN_USD_MIN is ${least}, and ${name} is ${config[name]}`;
		throw tokenomicsFault.buybackImpossible({ public: `${said}: no run could ever begin.` });
	}
}

/** Returns the bounds of every run. */
export function boundsOf(config: BuybackConfig) {
	const micros = (usd: number) => BigInt(Math.round(usd * MICROS));
	return {
		runUsdMicrosMin: micros(config.BUYBACK_RUN_USD_MIN),
		runUsdMicrosMax: micros(config.BUYBACK_RUN_USD_MAX),
		dayUsdMicrosMax: micros(config.BUYBACK_DAY_USD_MAX),
		depthBps: BigInt(config.BUYBACK_DEPTH_BPS_MAX),
		slippageBps: BigInt(config.BUYBACK_SLIPPAGE_BPS_MAX),
		deviationBps: BigInt(config.BUYBACK_DEVIATION_BPS_MAX),
		impactBps: BigInt(config.BUYBACK_IMPACT_BPS_MAX),
		quotesBps: BigInt(config.BUYBACK_QUOTES_BPS_MAX),
		twapS: config.BUYBACK_TWAP_SECONDS,
		deadlineS: config.BUYBACK_DEADLINE_SECONDS,
		fees: config.BUYBACK_FEE_TIERS.map(Number),
	};
}

/** Returns a refusal by its code; `more` adds details of this run. */
export function refusal(code: RefusalCode, more?: string): Refusal {
	return { code, detail: more === undefined ? refusals[code] : `${refusals[code]} ${more}` };
}

/** Returns the outcome of a preparation that is denied for one of these reasons. */
export function denied(code: RefusalCode, more?: string): { kind: "denied"; denial: Refusal } {
	return { kind: "denied", denial: refusal(code, more) };
}
