// Says why an intent is refused, failed or in doubt: what is stored, and how answers show it.

import { z } from "zod";
import { field } from "#core/http/openapi/schema.ts";
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

/** Describes how answers show `error` of an intent, beside `errorCode`. */
export const intentErrorSchema = z
	.object({
		code: field.text("As `errorCode`: it stays the same.", "per_trade_limit"),
		message: field.text(
			"The reason in a sentence.",
			"It counts as $120.00, more than the $100.00 that may be moved at once.",
		),
		limit: figure.optional().meta({ description: "What it was held against." }),
		amount: figure.optional().meta({ description: "What it came to." }),
		action: field.text("What you can do.", "Ask for less, or raise the limit.").optional(),
	})
	.meta({ id: "IntentError", description: "Why it was rejected, failed, or is in doubt." });

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

/** Words the reasons that no kind words: what an intent's own path and its owner do. */
const WORDS: Readonly<Record<string, string>> = {
	cancelled: "It was called off.",
	hand_over_late: "It was not handed over in time, and nothing was sent.",
	not_sent: "It was not sent, and cannot be any more: nothing left the wallet.",
	paid_before: "Its owner's wallet had paid for it before, by another transaction.",
	quote_expired: "What was offered ran out before it was sent.",
	replaced: "The wallet sent something else in its place.",
	reverted_on_chain: "It was mined and reverted: nothing but the network's fee was spent.",
	review_refused: "An operator looked at it and said no.",
};

/** Returns what is stored of a reason. */
export function errorOf({ detail, heard: _, ...denial }: Denial): IntentError {
	return { ...denial, message: detail.slice(0, MESSAGE_LENGTH_MAX) };
}

/** Returns what is stored where only a code is known. */
export function errorOfCode(code: string): IntentError {
	return { code, message: WORDS[code] ?? `It ended with the code ${code}.` };
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
