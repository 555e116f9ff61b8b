// Reads how many shares a token shows as (ERC-8056), and writes amounts as tokens and as shares.

import { z } from "zod";
import { readAbiUint } from "#core/chain/abi.ts";
import type { Address, Hex } from "#core/chain/Hex.ts";
import type { Rpc, RpcOutcome } from "#core/chain/rpc/Rpc.ts";
import type { Clock } from "#core/clock.ts";
import { deny } from "#core/fault.ts";
import { field } from "#core/http/openapi/schema.ts";
import { type Currency, decimalString, mulDiv } from "#core/money.ts";
import { MULTIPLIER_MAX, MULTIPLIER_ONE, SIGNED_DEADLINE_MS } from "#plugins/trading/limits.ts";
import type { Asset } from "#plugins/trading/registry/createAssets.ts";
import { settleViews, type View } from "#plugins/trading/settleViews.ts";
import type { Denial } from "#plugins/wallets/contract.ts";

/** Shares that one whole token shows as, times 1e18; null: it is no stock. */
export type Multiplier = bigint | null;

/** An amount as whole tokens, and as shares; null: it is no stock. */
type InBoth = { tokens: string; shares: string | null };

/** A currency of a trade; its multiplier is stored as digits. */
type Multiplied = Currency & { multiplier: string | null };

const MULTIPLIER_DECIMALS = 18;
/** `uiMultiplier()`, `newUIMultiplier()` and `effectiveAt()`. */
const VIEWS: readonly Hex[] = ["0xa60bf13d", "0xdc767007", "0x97a4064f"];
const SECONDS_BOUND = 2n ** 33n;

const tokensAndShares = z
	.object({
		tokens: field.decimal("In whole tokens, exact: what is sent.", "2"),
		shares: field
			.decimal("The same as shares: times the multiplier. Null for what is no stock.", "6")
			.nullable(),
	})
	.meta({ id: "TradeAmount", description: "An amount of one currency of a trade." });

/** Describes both amounts of a trade for clients. */
export const tradeAmounts = z
	.object({
		spent: tokensAndShares.meta({ description: "What goes in, as quoted." }),
		received: tokensAndShares.meta({ description: "What comes out, as quoted." }),
		leastReceived: tokensAndShares.meta({ description: "Less is never received." }),
		mostSpent: tokensAndShares.meta({ description: "More is never spent." }),
	})
	.meta({
		id: "TradeAmounts",
		description: "A trade's amounts as tokens and as shares, all by the multipliers shown here.",
	});

/** Returns the view of how many shares a token shows as. */
export function multiplierView(to: Address): View {
	return { to, data: "0xa60bf13d" };
}

/** Returns the multiplier; `none`: the contract has none; null: it could not be read. */
export function multiplierOf(outcome: RpcOutcome | undefined): bigint | "none" | null {
	// The contract reverts a function that it does not have.
	if (outcome?.kind === "fault") return outcome.fault.code === "rpc_refused" ? "none" : null;
	if (outcome?.result === "0x") return "none";
	const value = readAbiUint(outcome?.result);
	return value !== null && value > 0n && value <= MULTIPLIER_MAX ? value : null;
}

/**
 * Reads both sides' multipliers anew, in one request: they change at a time, without a transaction.
 * A denial where one is unknown, or changes before a swap of now may be mined. Throws where no node
 * answers.
 */
export async function readMultipliers(
	{ rpc, clock }: { rpc: Rpc; clock: Clock },
	{ sell, buy, signal }: { sell: Asset; buy: Asset; signal: AbortSignal },
): Promise<{ sell: Multiplier; buy: Multiplier } | Denial> {
	const stocks = [sell, buy].filter(({ kind }) => kind === "stock");
	const views = stocks.flatMap(({ address: to }) => VIEWS.map((data): View => ({ to, data })));
	const outcomes = await settleViews(rpc, views, { signal });
	const found = new Map<Address, bigint>();
	for (const [index, stock] of stocks.entries()) {
		const own = outcomes.slice(index * VIEWS.length, (index + 1) * VIEWS.length);
		const read = readOne(stock, { outcomes: own, nowMs: clock.nowMs() });
		if (typeof read !== "bigint") return read;
		found.set(stock.address, read);
	}
	return { sell: found.get(sell.address) ?? null, buy: found.get(buy.address) ?? null };
}

/** Returns why a trade may not go on whose token showed as other shares when it was asked for. */
export function changedDenial(
	{ symbol, multiplier: asked }: Multiplied,
	now: Multiplier,
): Denial | null {
	if (asked === (now === null ? null : String(now))) return null;
	const was = asked === null ? "an unknown number of shares" : sharesText(BigInt(asked));
	const is = now === null ? "no stock" : sharesText(now);
	const detail = `One ${symbol} was ${was} when this was asked for, and is ${is} now: ask again.`;
	return { code: "multiplier_changed", detail };
}

/** Returns the shares that an amount of tokens shows as, rounded down as the token rounds it. */
export function sharesOf(raw: bigint, multiplier: bigint): bigint {
	return mulDiv(raw, multiplier, MULTIPLIER_ONE, "down");
}

/** Returns the tokens that show as so many shares: never fewer for a buy, nor more for a sale. */
export function tokensOf(shares: bigint, multiplier: bigint, side: "buy" | "sell"): bigint {
	return mulDiv(shares, MULTIPLIER_ONE, multiplier, side === "buy" ? "up" : "down");
}

/** Writes an amount for people: `1 TSLA (3 shares)`. */
export function amountText(raw: bigint, currency: Multiplied): string {
	return bothText(inBoth(raw, currency), currency.symbol);
}

/** Writes tokens, and shares where they are another number. */
export function bothText({ tokens, shares }: InBoth, symbol: string): string {
	const text = `${tokens} ${symbol}`;
	if (shares === null || shares === tokens) return text;
	return `${text} (${shares} ${shares === "1" ? "share" : "shares"})`;
}

/** Writes an amount exactly, as tokens and as shares. */
export function inBoth(raw: bigint, { decimals, multiplier }: Multiplied): InBoth {
	const shares = multiplier === null ? null : sharesOf(raw, BigInt(multiplier));
	return {
		tokens: decimalString(raw, decimals),
		shares: shares === null ? null : decimalString(shares, decimals),
	};
}

/** Writes a multiplier as a decimal; null for null. */
export function multiplierText(multiplier: Multiplier): string | null {
	return multiplier === null ? null : decimalString(multiplier, MULTIPLIER_DECIMALS);
}

function readOne(
	{ symbol, multiplier: known }: Asset,
	{ outcomes, nowMs }: { outcomes: readonly RpcOutcome[]; nowMs: number },
): bigint | Denial {
	for (const outcome of outcomes) {
		if (outcome.kind === "fault" && outcome.fault.code !== "rpc_refused") throw outcome.fault;
	}
	const [current, next, effectiveAt] = outcomes;
	const read = multiplierOf(current);
	// A token that had a multiplier when it was checked does not lose it.
	const unknown = deny(
		"multiplier_unknown",
		`How many shares one ${symbol} is cannot be read now.`,
	);
	if (read === null || (read === "none" && known !== null)) return unknown;
	if (read === "none") return MULTIPLIER_ONE;
	const then = multiplierOf(next);
	const seconds = effectiveAt?.kind === "result" ? readAbiUint(effectiveAt.result) : null;
	if (then === "none" || then === read || seconds === 0n) return read;
	// Another one is announced, and what or when cannot be read.
	if (then === null || seconds === null) return unknown;
	if (seconds >= SECONDS_BOUND) return read;
	const atMs = Number(seconds) * 1_000;
	if (atMs > nowMs + SIGNED_DEADLINE_MS) return read;
	// It should be in force, and is not: the newest block may be from before.
	const at = new Date(atMs).toISOString();
	const detail = `One ${symbol} is ${sharesText(read)}, and ${sharesText(then)} from ${at} on: ask again then.`;
	return { code: "multiplier_changed", detail };
}

function sharesText(multiplier: bigint): string {
	const text = multiplierText(multiplier);
	return `${text} ${text === "1" ? "share" : "shares"}`;
}
