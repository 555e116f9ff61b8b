// Decides how much of each currency a run may spend, and converts it to dollars.

import { type Address, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { Queryable } from "#core/db/Database.ts";
import { mulDiv } from "#core/money.ts";
import type { UsdRate } from "#plugins/prices/contract.ts";
import {
	type BuybackBounds,
	CURRENCIES_MAX,
	type Refusal,
	refusal,
} from "#plugins/tokenomics/buyback/buybackConfig.ts";
import { least } from "#plugins/tokenomics/buyback/poolMath.ts";
import { BURN_BUCKET, type Funds, type Keeper } from "#plugins/tokenomics/buyback/readKeeper.ts";
import { currencies } from "#plugins/tokenomics/sql/followed.ts";
import { totalKey, totals } from "#plugins/tokenomics/sql/totals.ts";

/** Holds what a run would spend of a currency, before the limit of the pools is known. */
export type Candidate = {
	funds: Funds;
	spendRaw: bigint;
	/** The burn's share of revenue, less what was spent of it. */
	unspentRaw: bigint;
	rate: UsdRate;
	/** The worth of all that is available: the currency with the most is spent first. */
	availableUsdMicros: bigint;
};

/** A currency that is left where it is, and why. */
export type LeftOver = { currency: Address; symbol: string; raw: bigint; refusal: Refusal };

type Given = {
	keeper: Keeper;
	/** Returns what runs have spent or reserved of a currency already, in base units. */
	spentOf(currency: Address): bigint;
	/** The sum that runs of the last 24 hours spent or reserved. */
	dayUsdMicros: bigint;
	rateOf(currency: Address): UsdRate | null;
	bounds: Pick<BuybackBounds, "runUsdMicrosMin" | "runUsdMicrosMax" | "dayUsdMicrosMax">;
};

type Sized =
	| { kind: "fit"; candidate: Candidate }
	| { kind: "left"; raw: bigint; refusal: Refusal };

const MICROS = 1_000_000n;

/**
 * Says how much of each currency a run may spend: never more than the burn's share of revenue came
 * to less what was spent of it, so what an operator sent the keeper for gas is not burned; never
 * more than the maxima of a run and of a day. Those worth most come first.
 */
export function sizeRun(given: Given): { fit: Candidate[]; left: LeftOver[] } {
	const fit: Candidate[] = [];
	const left: LeftOver[] = [];
	for (const funds of given.keeper.funds) {
		const sized = sizeOf(funds, given);
		if (sized.kind === "fit") fit.push(sized.candidate);
		else if (sized.raw > 0n) {
			const { currency, symbol } = funds;
			left.push({ currency, symbol, raw: sized.raw, refusal: sized.refusal });
		}
	}
	fit.sort((one, other) => (one.availableUsdMicros > other.availableUsdMicros ? -1 : 1));
	return { fit, left };
}

/**
 * Reads what revenue came in for burning in currencies that buybacks do not spend, by the ledger
 * alone: anybody may send the router any token, and none of those is asked anything.
 */
export async function readUnnamed(
	db: Queryable,
	asked: { chainId: number; router: Address; spent: readonly Address[] },
): Promise<LeftOver[]> {
	const { chainId, router, spent } = asked;
	const of = { chainId, contract: router };
	const revenue = await totals.oldest(db, of, {
		...{ kind: "revenue", limit: CURRENCIES_MAX + spent.length },
	});
	const others = revenue.flatMap(({ currency }) => (spent.includes(currency) ? [] : [currency]));
	if (others.length === 0) return [];
	const bucket = BURN_BUCKET;
	const keys = others.flatMap((currency) => [
		totalKey("earned", { currency, bucket }),
		totalKey("share_paid", { currency, bucket }),
	]);
	const [rows, known] = await Promise.all([
		totals.ofKeys(db, of, keys),
		currencies.among(db, chainId, others),
	]);
	const amountOf = (kind: string, currency: Address) =>
		rows.find((row) => row.kind === kind && row.currency === currency)?.amount ?? 0n;
	return others.slice(0, CURRENCIES_MAX).flatMap((currency) => {
		const raw = amountOf("earned", currency) - amountOf("share_paid", currency);
		const symbol = known.find(({ address }) => address === currency)?.symbol ?? "token";
		return raw > 0n ? [{ currency, symbol, raw, refusal: refusal("currency_not_named") }] : [];
	});
}

/** Converts base units to microdollars, rounded down: what is worth less than it takes waits. */
export function usdMicrosOf(raw: bigint, rate: UsdRate): bigint {
	return mulDiv(raw, rate.answer * MICROS, unitOf(rate), "down");
}

function sizeOf(funds: Funds, given: Given): Sized {
	const { keeper, bounds, dayUsdMicros } = given;
	const { currency, earnedRaw, owedRaw, balanceRaw } = funds;
	const isCoin = currency === ZERO_ADDRESS;
	const unspentRaw = floorZero(earnedRaw - given.spentOf(currency));
	const gasRaw = isCoin ? least(keeper.gasReserveRaw, balanceRaw) : 0n;
	const raw = least(unspentRaw, balanceRaw + owedRaw - gasRaw);
	const leave = (reason: Refusal): Sized => ({ kind: "left", raw: unspentRaw, refusal: reason });
	const rate = given.rateOf(currency);
	if (unspentRaw === 0n) return leave(refusal("nothing_to_spend"));
	if (!rate || rate.answer <= 0n) return leave(refusal("no_price"));
	if (usdMicrosOf(raw, rate) < bounds.runUsdMicrosMin) return leave(refusal("nothing_to_spend"));
	// Also what arrives by the first step has to be fetched.
	if (keeper.coinRaw < keeper.gasReserveRaw) return leave(refusal("keeper_without_gas"));
	const dayLeft = floorZero(bounds.dayUsdMicrosMax - dayUsdMicros);
	if (dayLeft < bounds.runUsdMicrosMin) return leave(refusal("day_limit"));
	const mostRaw = rawOf(least(bounds.runUsdMicrosMax, dayLeft), rate);
	const spendRaw = least(raw, mostRaw);
	return {
		kind: "fit",
		candidate: { funds, rate, spendRaw, unspentRaw, availableUsdMicros: usdMicrosOf(raw, rate) },
	};
}

function floorZero(amount: bigint): bigint {
	return amount < 0n ? 0n : amount;
}

/** Returns the most base units that are worth no more than so many microdollars. */
function rawOf(usdMicros: bigint, rate: UsdRate): bigint {
	return mulDiv(usdMicros, unitOf(rate), rate.answer * MICROS, "down");
}

function unitOf({ decimals, currencyDecimals }: UsdRate): bigint {
	return 10n ** BigInt(decimals + currencyDecimals);
}
