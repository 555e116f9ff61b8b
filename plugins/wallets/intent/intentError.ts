// Says why an intent is refused, failed or in doubt: what is stored, and how answers show it.

import { z } from "zod";
import { defineReasons, faultCatalogue, type Reason } from "#core/fault.ts";
import { CODES_MEMBER, field } from "#core/http/openapi/schema.ts";
import { type Currency, decimalString, formatAmount } from "#core/money.ts";

/** Holds a figure for people: an exact decimal, and its unit: USD, a token's symbol, bps. */
export type Figure = { value: string; unit: string };

/** Says why nothing is sent, in a stable code and a sentence. */
export type Denial = {
	code: string;
	detail: string;
	/** Name the bound, and the figure that was compared with it, where figures decided. */
	limit?: Figure | undefined;
	amount?: Figure | undefined;
	/** Says what the owner can do, in a sentence. */
	action?: string | undefined;
	/** Quotes, for operators alone, the answer of a node or a contract, which may be any text. */
	heard?: string | undefined;
};

/** Holds an error as it is stored with an intent, and shown to its owner. */
export type IntentError = Omit<Denial, "detail" | "heard"> & { message: string };

const USD_DECIMALS = 6;
const MICROS_IN_CENT = 10_000n;
const MESSAGE_LENGTH_MAX = 500;

const figure = z
	.object({
		value: field.decimal("Exact.", "100"),
		unit: field.text("What it counts: `USD`, a token's symbol, `wei` or `bps`.", "USD"),
	})
	.meta({ id: "IntentFigure", description: "A figure that decided, with its unit." });

const code = z.string().meta({
	id: "IntentCode",
	description:
		"Why an intent was refused, failed, is in doubt or is asked about. Each has a page at " +
		"`/problems/<code>`: what it means, and what its owner can do. Others may be added.",
	examples: ["per_trade_limit"],
	[CODES_MEMBER]: true,
});

/** Describes `errorCode` of an intent in answers: null where there is nothing to say. */
export const intentCode = (description: string) => code.nullable().meta({ description });

/** Describes how answers show `error` of an intent, beside `errorCode`. */
export const intentErrorSchema = z
	.object({
		code,
		message: field.text(
			"The reason in a sentence.",
			"It counts as $120.00, more than the $100.00 that may be moved at once.",
		),
		limit: figure.optional(),
		amount: figure.optional(),
		action: field.text("What you can do.", "Ask for less, or raise the limit.").optional(),
	})
	.meta({
		id: "IntentError",
		description:
			"Why it was rejected, failed, or is in doubt. Where figures decided, `limit` is what it was " +
			"held against, and `amount` what it came to.",
	});

const ABOVE_LIMITS = "It is more than its owner's limits allow.";

/** Lists codes whose figures say what an owner's limits are, and what they moved today. */
const OWNERS_FIGURES: Readonly<Record<string, string>> = {
	per_trade_limit: ABOVE_LIMITS,
	wallet_notional_limit: ABOVE_LIMITS,
	daily_limit: ABOVE_LIMITS,
	usd_rate_unavailable: "What it is worth in USD is not known now.",
	// It repeats the sentence of another step, whatever that one says.
	previous_step_failed: "What had to be done before it did not happen.",
};

/** Reasons of an intent's own path and of its owner, and of what all kinds are held against. */
const walletReasons: Readonly<Record<string, Reason>> = {
	allowance_not_set: [
		"The token's contract did not set the allowance.",
		"Do not trade this token: its contract does not do what tokens do.",
	],
	arrival_doubtful: [
		"It was mined; whether all of it arrived cannot be said.",
		"Wait: an operator looks at it. Do not ask for it again.",
	],
	balance_insufficient: [
		"The wallet holds less than it takes.",
		"Ask for less, or fund the wallet that `error` names.",
	],
	cancelled: ["It was called off.", "Ask for it again if you still want it."],
	chain_unavailable: [
		"The chain is not served here, or cannot be read now.",
		"Ask for it again in some minutes.",
	],
	daily_limit: [
		"It is above what is left of the limit of a day.",
		"Ask for less, wait until tomorrow, or raise the limit in your profile.",
	],
	disabled: [
		"Nothing here handles this kind of intent any more.",
		"Ask an operator of the deployment.",
	],
	dropped_by_reorg: [
		"Its block left the chain, and nobody has it any more.",
		"Do not send it again: it is looked up until that is known.",
	],
	gas_reserve: [
		"The wallet would keep too little of the chain's coin to pay for gas.",
		"Ask for less, or send coin of the chain to the wallet.",
	],
	hand_over_late: [
		"It was not handed over in time, and nothing was sent.",
		"Nothing left the wallet: ask for it again.",
	],
	intent_quota: [
		"It takes more than one step, and its owner has asked for too many intents.",
		"Ask for it again in some minutes.",
	],
	kind_disabled: [
		"Nothing here handles this kind of intent any more.",
		"Ask an operator of the deployment.",
	],
	looks_paid: [
		"The wallet sent something that looks like it, and that is on no record here.",
		"Look at what the wallet sent. Say yes only where it was something else.",
	],
	network_fee_limit: [
		"The network's fee is above what may be paid for it.",
		"Ask for it again in some minutes.",
	],
	no_executable_wallet: [
		"There is no wallet that may pay for it.",
		"Link a wallet, or let this service sign with one: `/v1/trading/profile` shows them.",
	],
	not_received: [
		"It was mined and paid, and nothing arrived.",
		"Look at the transaction before you ask for it again: it was paid for.",
	],
	not_sent: [
		"It was not sent, and cannot be any more: nothing left the wallet.",
		"Nothing left the wallet: ask for it again.",
	],
	paid_before: [
		"Its owner's wallet had paid for it before, by another transaction.",
		"Nothing is to be done: what you asked for is paid.",
	],
	partly_received: [
		"It was mined and paid, and less arrived than was planned.",
		"Look at the transaction: it says what arrived.",
	],
	per_trade_limit: [
		"It is above the limit of one trade.",
		"Ask for less, or raise the limit in your profile.",
	],
	policy_denied: [
		"The deployment's rules do not allow it.",
		"Ask an operator which destinations are allowed.",
	],
	previous_step_failed: [
		"What had to be done before it did not happen.",
		"Read the step before it, then ask for all of it again.",
	],
	price_unknown: [
		"What it is worth cannot be said now.",
		"Wait until a price is known, or say yes where you are asked.",
	],
	quote_expired: [
		"What was offered ran out before it was sent.",
		"Ask for it again, and answer sooner.",
	],
	recipient_cooldown: [
		"A recipient that is new to the wallet has to wait.",
		"Ask again after the time that `error` names.",
	],
	replaced: [
		"The wallet sent something else in its place.",
		"Look at the wallet; ask for it again if you still want it.",
	],
	request_unreadable: [
		"What was asked for was stored by another version and cannot be read.",
		"Nothing left the wallet: ask for it again.",
	],
	reverted_on_chain: [
		"It was mined and reverted: nothing but the network's fee was spent.",
		"Look at the transaction, then ask for it again.",
	],
	review_refused: ["An operator looked at it and said no.", "Ask an operator why."],
	signature_mismatch: [
		"The wallet provider signed as another account.",
		"Tell an operator: nothing was sent.",
	],
	signature_not_delegated: [
		"The wallet does not let this service sign that.",
		"Allow it in your wallet, or use a wallet of this service.",
	],
	simulation_failed: [
		"It would fail on chain, so it was not sent.",
		"Read `error`: it says what the contract answered. Ask again when that has changed.",
	],
	simulation_unavailable: [
		"Whether it would work cannot be asked now.",
		"Ask for it again in some minutes.",
	],
	token_unreadable: [
		"The token's contract does not answer as an ERC-20 token.",
		"Name another token: this one cannot be paid with here.",
	],
	trading_disabled: [
		"An operator has switched this off for now.",
		"Ask for it again in some minutes.",
	],
	usd_rate_unavailable: [
		"What it is worth in US dollars is not known now, so no limit can be checked.",
		"Ask for it again in some minutes.",
	],
	wallet_notional_limit: [
		"It is above what the wallet may move.",
		"Ask for less, or raise the limit in your profile.",
	],
};

defineReasons(walletReasons);

/** Returns what is stored of a reason. */
export function errorOf({ detail, heard: _, ...denial }: Denial): IntentError {
	return { ...denial, message: detail.slice(0, MESSAGE_LENGTH_MAX) };
}

/** Returns what is stored where only a code is known. */
export function errorOfCode(code: string): IntentError {
	return { code, message: wordsOf(code) ?? `It ended with the code ${code}.` };
}

/**
 * Reads a stored reason. Null where there is no code; where what is stored is of another code, or
 * was never written, the code's own words.
 */
export function readError(code: string | null, stored: unknown): IntentError | null {
	if (code === null) return null;
	const { data } = intentErrorSchema.safeParse(stored);
	return data?.code === code ? data : errorOfCode(code);
}

/**
 * Returns an error for everyone who has a link to the intent: without figures that only its owner
 * may see.
 */
export function errorForLink(error: IntentError | null): IntentError | null {
	const message = error && OWNERS_FIGURES[error.code];
	return error && message ? { code: error.code, message } : error;
}

function wordsOf(code: string): string | undefined {
	return walletReasons[code]?.[0] ?? faultCatalogue.meaningOf(code);
}

/** Returns microdollars as a figure, exact. */
export function usdFigure(micros: bigint): Figure {
	return { value: decimalString(micros, USD_DECIMALS), unit: "USD" };
}

/** Returns an amount of a currency as a figure, exact. */
export function amountFigure(units: bigint, currency: Currency): Figure {
	return { value: formatAmount({ units, currency }), unit: currency.symbol };
}

/** Writes microdollars for a sentence, `$100.00`, rounded up to the cent. */
export function usdWords(micros: bigint): string {
	const cents = (micros + MICROS_IN_CENT - 1n) / MICROS_IN_CENT;
	return `$${cents / 100n}.${String(cents % 100n).padStart(2, "0")}`;
}
