// Plans and settles a transfer: a chain's own coin, or a token, to one recipient.

import { z } from "zod";
import type { Chain } from "#core/chain/Chain.ts";
import { type Address, isAddress, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import type { Clock } from "#core/clock.ts";
import { denied } from "#core/fault.ts";
import { decimalString, formatAmount, mulDiv } from "#core/money.ts";
import { transfersFault } from "#plugins/transfers/faults.ts";
import {
	coinCalldata,
	coinSchema,
	settleToken,
	trialQuestion,
} from "#plugins/transfers/sendToken.ts";
import {
	type Denial,
	type IntentKind,
	type Plan,
	type Question,
	type SpendSituation,
	type TokenBook,
	usdFigure,
} from "#plugins/wallets/contract.ts";

export type TransferDeps = {
	clock: Clock;
	/** Returns null where the chain is not served here. */
	chainOf(chainId: number): Chain | null;
	rpcOf(chainId: number): Rpc | null;
	tokens: Pick<TokenBook, "priceOf">;
};

/** The most recipients of one request, which is also the largest batch of intents. */
export const RECIPIENTS_MAX = 50;
/** Limits texts: longer ones are refused without parsing. */
export const ADDRESS_LENGTH_MAX = 100;
export const AMOUNT_LENGTH_MAX = 160;
/** The most problems that one answer lists. */
export const ISSUES_MAX = 32;
/** Limits the addresses of precompiled contracts and others without an owner: all below it. */
export const RESERVED_ADDRESSES = 0x1_0000n;
/** Limits how long a request continues its batch before it answers. */
export const ADVANCE_TIMEOUT_MS = 25_000;
/** The connection stays open longer than that. */
export const ANSWER_IDLE_SECONDS = 60;
/**
 * A transfer's plan depends only on the request and on the recipient's code, so it stays valid
 * long. The last of a large batch is handed over long after the first.
 */
export const PLAN_LIFETIME_MS = 600_000;
const USD_DECIMALS = 6;
/** A page of transfers. */
export const TRANSFERS_PAGE = 50;
export const TRANSFERS_PAGE_MAX = 200;

/** The time limit for reading a token's decimals. */
export const COIN_TIMEOUT_MS = 5_000;

/**
 * The stored request of one transfer: recipient and base units. Checked on arrival, and again here.
 */
export const transferRequest = z.object({
	recipient: z.string().refine(isAddress),
	amountRaw: z.string().regex(/^[1-9]\d{0,77}$/),
	/** The token that is sent, and the sum of the whole request; without them: the coin. */
	coin: coinSchema.exactOptional(),
	togetherRaw: z
		.string()
		.regex(/^[1-9]\d{0,77}$/)
		.exactOptional(),
});

export type TransferRequest = z.output<typeof transferRequest>;

export const TRANSFER = "transfer";
/** Names the outbound calls of transfers. */
export const transferSteps = ["transfer.arrival"] as const;
/** EIP-7702: the code of an account that delegates to a contract, but is still owned by its key. */
const DELEGATED = "0xef0100";
const code = z.string().regex(/^0x[0-9a-f]*$/i);

/** Returns the intent kind that sends a chain's own coin, or a token, to one recipient. */
export function transferKind(deps: TransferDeps): IntentKind<TransferRequest> {
	return {
		name: TRANSFER,
		plugin: "transfers",
		request: transferRequest,
		// To plan it makes no calls of its own: what it asks is asked together with the account.
		steps: transferSteps,
		repeats: "exact",
		async prepare({ chainId, request }, { wallet }) {
			if (wallet.capability === "review-required" || wallet.capability === "disabled") {
				return denied("no_executable_wallet", "The wallet may not send now.");
			}
			const chain = deps.chainOf(chainId);
			if (!chain) return denied("chain_unavailable", "The chain is not served here.");
			const expiresAtMs = deps.clock.nowMs() + PLAN_LIFETIME_MS;
			const plan = { ...planOf(request, chain), from: wallet.address, expiresAtMs };
			const worth = await worthOf(deps, { request, chainId });
			if (worth.denial) return { kind: "denied", denial: worth.denial };
			const { note, ...beside } = worth;
			const question = questionOf(request, { chain, from: wallet.address, note });
			return { kind: "plan", plan, question, ...beside };
		},
		keeps: keepsTransfer,
		deny: transferDenial,
		// For the coin, a successful receipt proves the transfer.
		async settle({ request, chainId }, receipt, { wallet, outbound, signal }) {
			const { coin, recipient: to, amountRaw } = request;
			if (!coin) return null;
			const rpc = deps.rpcOf(chainId);
			// Asked again later: what nobody measured is not called done.
			if (!rpc) throw transfersFault.chainUnavailable();
			const sent = { coin, from: wallet.address, to, raw: BigInt(amountRaw), receipt, signal };
			return outbound("transfer.arrival", () => settleToken(rpc, sent));
		},
	};
}

/**
 * Returns why a transfer is denied besides the limits in USD; null: it is not. If the deployment
 * asks for it, a new recipient must be known for some time before money is sent automatically: in
 * that time the owner can notice actions that are not theirs.
 */
export function transferDenial({ limits, recipientKnownForMs }: SpendSituation): Denial | null {
	// Also where the recipient is missing from the situation: a transfer always has one.
	if ((recipientKnownForMs ?? 0) >= limits.recipientCooldownMs) return null;
	return {
		code: "recipient_cooldown",
		detail: "The recipient is new. Try again once it is known for longer.",
	};
}

function planOf(
	{ recipient, amountRaw, coin }: TransferRequest,
	{ id, nativeCurrency }: Chain,
): Omit<Plan, "from" | "expiresAtMs"> {
	const raw = BigInt(amountRaw);
	if (coin) {
		const { address, symbol, decimals } = coin;
		return {
			...{ chainId: id, to: address, valueRaw: 0n, data: coinCalldata(recipient, raw) },
			spend: { currency: address, raw, decimals, symbol },
			...{ recipient, shown: { action: TRANSFER } },
		};
	}
	const { symbol, decimals } = nativeCurrency;
	return {
		chainId: id,
		to: recipient,
		valueRaw: raw,
		data: "0x",
		spend: { currency: ZERO_ADDRESS, raw, decimals, symbol },
		recipient,
		shown: { action: TRANSFER },
	};
}

/** Holds the value of a transfer for limits, or why it is not sent. */
type Worth = {
	worthUsdMicros?: bigint;
	asks?: boolean;
	/** The sentence that the owner is asked about; null: none. */
	note: string | null;
	denial?: Denial;
};

/**
 * Returns what a token counts as by its registry; nothing for the coin, and for a token that no
 * registry prices: limits ask feeds then. Where the price is not sure its owner is asked, for all
 * of the request up to a bound.
 */
async function worthOf(
	{ tokens }: Pick<TransferDeps, "tokens">,
	{ request, chainId }: { request: TransferRequest; chainId: number },
): Promise<Worth> {
	const { coin, amountRaw, togetherRaw = amountRaw } = request;
	const price = coin ? await tokens.priceOf({ chainId, address: coin.address }) : null;
	if (!coin || !price) return { note: null };
	const unit = 10n ** BigInt(coin.decimals);
	const microsOf = (raw: string) => mulDiv(BigInt(raw), price.microsPerUnit, unit, "up");
	const worthUsdMicros = microsOf(amountRaw);
	if (price.kind === "sure") return { worthUsdMicros, note: null };
	const text = (micros: bigint) => decimalString(micros, USD_DECIMALS);
	const most = price.askedMicrosMax;
	const why = "Nothing sure says what that is worth now.";
	const together = microsOf(togetherRaw);
	if (together > most) {
		const detail =
			`${why} It counts as $${text(together)}, and its owner is asked for at most ` +
			`$${text(most)} at such a price.`;
		const figures = { limit: usdFigure(most), amount: usdFigure(together) };
		return { note: null, denial: { code: "price_unknown", detail, ...figures } };
	}
	return { worthUsdMicros, asks: true, note: `${why} It counts as $${text(worthUsdMicros)}.` };
}

/**
 * Returns whether a plan made anew is the same payment, at any new price. An owner who was not
 * shown that the price is unsure has not approved that.
 */
function keepsTransfer(approved: Plan, fresh: Plan): boolean {
	const isContract = (plan: Plan) => plan.shown["recipientIsContract"] === true;
	const isUnsure = (plan: Plan) => plan.shown["unsurePrice"] === true;
	return (
		fresh.chainId === approved.chainId &&
		fresh.from === approved.from &&
		fresh.to === approved.to &&
		fresh.valueRaw === approved.valueRaw &&
		fresh.data === approved.data &&
		fresh.recipient === approved.recipient &&
		isContract(fresh) === isContract(approved) &&
		(isUnsure(approved) || !isUnsure(fresh))
	);
}

/**
 * Returns the question what a person should know before they agree: whether the recipient is an
 * account or a contract, and of a token what the transfer would move.
 */
function questionOf(
	{ recipient: to, amountRaw, coin, togetherRaw = amountRaw }: TransferRequest,
	{ chain, from, note }: { chain: Chain; from: Address; note: string | null },
): Question {
	const raw = BigInt(amountRaw);
	const shown = { action: TRANSFER, ...(note !== null && { unsurePrice: true }) };
	if (coin) {
		const together = BigInt(togetherRaw);
		return trialQuestion({ coin, chain, from, to, raw, togetherRaw: together, note, shown });
	}
	const { nativeCurrency: currency, name } = chain;
	return {
		call: { method: "eth_getCode", params: [to, "latest"] },
		shownBy(answer) {
			const read = code.safeParse(answer);
			if (!read.success) return denied("chain_unavailable", "The node's answer is unreadable.");
			const recipientIsContract = isContract(read.data);
			const amount = formatAmount({ units: raw, currency });
			const who = recipientIsContract ? "the contract " : "";
			const summary = `Sends ${amount} ${currency.symbol} to ${who}${to} on ${name}.`;
			return { kind: "shown", shown: { ...shown, summary, recipientIsContract } };
		},
	};
}

function isContract(found: string): boolean {
	return found !== "0x" && !found.toLowerCase().startsWith(DELEGATED);
}
