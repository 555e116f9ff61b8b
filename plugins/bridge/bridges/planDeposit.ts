// Plans by a bridge's checked quote what is deposited, or signed in place of that.

import { z } from "zod";
import { type Address, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { anyCaseWordSchema } from "#core/chain/hexSchemas.ts";
import type { Tx } from "#core/db/Database.ts";
import { denied, Fault } from "#core/fault.ts";
import { formatAmount, mulDiv } from "#core/money.ts";
import type { BridgeContext, ChainReader } from "#plugins/bridge/bridgeConfig.ts";
import { switchDenial } from "#plugins/bridge/bridges/bridgeBody.ts";
import { type Offered, offerQuote, storeOffered } from "#plugins/bridge/bridges/quoteBridge.ts";
import { balanceCall } from "#plugins/bridge/bridges/readBalances.ts";
import { QUOTE_MARGIN_MS } from "#plugins/bridge/limits.ts";
import type { BridgeRoute } from "#plugins/bridge/model.ts";
import type { BridgeStep } from "#plugins/bridge/quote/authorizations.ts";
import type { CheckedQuote } from "#plugins/bridge/quote/checkQuote.ts";
import type { Bridge } from "#plugins/bridge/sql/bridges.ts";
import { readQuote, type Told } from "#plugins/bridge/sql/quotes.ts";
import type {
	Denial,
	Intent,
	Outbound,
	Plan,
	Preparation,
	SpendSituation,
	Wallet,
} from "#plugins/wallets/contract.ts";

export const BRIDGE_DEPOSIT = "bridge-deposit";

/** The request of a deposit: its bridge and bounds. A plan beyond them is denied. */
export const depositRequest = z.object({
	bridgeId: z.uuid(),
	/** The least that arrives, as it was quoted first: a newer quote may promise more, never less. */
	minimumOutRaw: z.string().regex(/^\d{1,78}$/),
	/** The most that is paid in. */
	amountRaw: z.string().regex(/^\d{1,78}$/),
});
export type DepositRequest = z.output<typeof depositRequest>;

/** Holds what both kinds of deposits are planned from. */
export type Preparing<Request extends DepositRequest = DepositRequest> = {
	intent: Intent<Request>;
	wallet: Wallet;
	outbound: Outbound;
	signal: AbortSignal;
};

/** Holds what a wallet needs for a plan, in one currency. */
type Needed = { currency: Address; raw: bigint; decimals: number; symbol: string };

/** Holds a checked quote, and two figures of the provider that a plan is judged by. */
type ToldQuote = CheckedQuote & { told: Pick<Told, "paidUsd" | "isLossUnknown"> };

/** The quote that is planned by; `keep` stores a newer one with the plan. */
type Agreed = {
	kind: "agreed";
	route: BridgeRoute;
	quote: ToldQuote;
	kept: { keep?(tx: Tx): Promise<void> };
};

const MICROS = 1_000_000n;

const quantity = z
	.string()
	.regex(/^0x[0-9a-fA-F]{1,64}$/)
	.transform(BigInt);

/** Holds the methods that are the same in both kinds of deposits. */
export const sharedKind = { keeps: keepsDeposit, deny: recipientDenial };

/**
 * Returns the quote that a bridge's deposit, or signature, is planned by, while it holds and stays
 * within what was agreed first. One that ended is replaced where `mayRequote`; else, and behind an
 * allowance that was sent, the bridge ends as `quote_expired`. `bridge` null: it is none of this
 * intent's.
 */
export async function agreedQuote(
	context: BridgeContext,
	{ intent, wallet, outbound, signal }: Preparing,
	{ bridge, mayRequote }: { bridge: Bridge | null; mayRequote: boolean },
): Promise<Agreed | Extract<Preparation, { kind: "denied" }>> {
	if (!bridge?.route) return denied("bridge_missing", "The bridge of this step is not there.");
	const { route } = bridge;
	const refusal = refusalOf(context, bridge, { wallet, chainId: intent.chainId });
	if (refusal) return { kind: "denied", denial: refusal };
	const needed = { mayRequote: mayRequote && intent.afterId === null, outbound, signal };
	const found = await quoteFor(context, bridge, needed);
	if ("code" in found) return { kind: "denied", denial: found };
	const beyond = boundsDenial(intent.request, { route, quote: found.quote });
	if (beyond) return { kind: "denied", denial: beyond };
	return { kind: "agreed", route, ...found };
}

/**
 * Returns how much a wallet lacks of what a plan takes, or that it cannot be read; null: it holds
 * enough. Gas is not counted: its limit says how much is kept for it.
 */
export async function balanceDenial(
	read: ChainReader | null,
	{ owner, needed, signal }: { owner: Address; needed: readonly Needed[]; signal: AbortSignal },
): Promise<Denial | null> {
	try {
		const held = await Promise.all(
			needed.map(async ({ currency }) => {
				const told = await read?.(...balanceCall(currency, owner), signal);
				return currency === ZERO_ADDRESS
					? quantity.parse(told)
					: anyCaseWordSchema.transform(BigInt).parse(told);
			}),
		);
		for (const [place, one] of needed.entries()) {
			const missingRaw = one.raw - (held[place] ?? 0n);
			if (missingRaw <= 0n) continue;
			const missing = `${formatAmount({ units: missingRaw, currency: one })} ${one.symbol}`;
			const detail = `The wallet holds less than would be sent: ${missing} are missing.`;
			return { code: "balance_insufficient", detail };
		}
		return null;
	} catch {
		return { code: "chain_unavailable", detail: "What the wallet holds cannot be read now." };
	}
}

/** Returns what a wallet has to hold for a deposit: its amount, and what a message costs. */
export function neededFor(
	{ core }: Pick<BridgeContext, "core">,
	{ route, step }: { route: BridgeRoute; step: Pick<BridgeStep, "valueRaw"> },
): Needed[] {
	const { origin, amountRaw } = route;
	const coin = core.chains.byId(origin.chainId)?.nativeCurrency ?? { symbol: "", decimals: 18 };
	const token = origin.currency === ZERO_ADDRESS ? [] : [{ ...origin, raw: amountRaw }];
	const { symbol, decimals } = coin;
	const value = { currency: ZERO_ADDRESS, raw: step.valueRaw, symbol, decimals };
	return step.valueRaw === 0n ? token : [...token, value];
}

/** Returns why no further step of a bridge may be taken, whatever its quote is; null: it may. */
function refusalOf(
	{ settings }: BridgeContext,
	{ channel, heldAt, route }: Bridge,
	{ wallet, chainId }: { wallet: Wallet; chainId: number },
): Denial | null {
	const off = switchDenial(settings, channel);
	if (off) return off;
	if (heldAt !== null)
		return { code: "bridge_disabled", detail: "An operator stopped this bridge." };
	if (route?.user === wallet.address && route.origin.chainId === chainId) return null;
	return { code: "wallet_changed", detail: "The bridge was quoted for another wallet." };
}

/** Returns why a quote is beyond what was agreed first; null: it is not. */
function boundsDenial(
	bounds: Pick<DepositRequest, "minimumOutRaw" | "amountRaw">,
	{ route, quote }: { route: BridgeRoute; quote: CheckedQuote },
): Denial | null {
	if (quote.minimumOutRaw < BigInt(bounds.minimumOutRaw)) {
		const detail = "The price moved: less would arrive than was agreed.";
		return { code: "quote_expired", detail };
	}
	if (route.amountRaw <= BigInt(bounds.amountRaw)) return null;
	return { code: "quote_mismatch", detail: "More would be paid in than was agreed." };
}

/**
 * Returns the stored quote while it holds. One that ended is replaced where nothing was sent;
 * behind an allowance that was, the bridge ends as `quote_expired`.
 */
async function quoteFor(
	context: BridgeContext,
	bridge: Bridge,
	{
		mayRequote,
		outbound,
		signal,
	}: { mayRequote: boolean; outbound: Outbound; signal: AbortSignal },
): Promise<Pick<Agreed, "quote" | "kept"> | Denial> {
	const seq = bridge.quoteSeq ?? 0;
	const quote = await readQuote(context.core.db, { bridgeId: bridge.id, seq });
	const { clock } = context.core;
	if (quote && quote.deadlineMs - clock.nowMs() > QUOTE_MARGIN_MS) return { quote, kept: {} };
	const expired = { code: "quote_expired", detail: "The bridge's quote has ended." };
	if (!mayRequote) return expired;
	try {
		const offered = await outbound("bridge.quote", () => offerQuote(context, bridge, signal));
		if (offered.kind === "bad") return offered.denial;
		const { told } = offered;
		return { quote: { ...offered.quote, told }, kept: { keep: keeping(context, bridge, offered) } };
	} catch (error) {
		if (error instanceof Fault) return expired;
		throw error;
	}
}

function keeping({ core }: BridgeContext, { id: bridgeId }: Bridge, offered: Offered) {
	const at = new Date(core.clock.nowMs());
	return (tx: Tx) => storeOffered(tx, { bridgeId, offered, at });
}

/**
 * Returns what a token without a feed is worth, by what is expected for it, or by what the provider
 * says that it is worth where that is more: in the coin of its chain, which has a price. Left out
 * where the token has a feed, or where nothing here knows.
 */
function worthOf(
	{ prices, core }: BridgeContext,
	{ route, quote }: { route: BridgeRoute; quote: ToldQuote },
): { worth?: { currency: Address; raw: bigint } } {
	const { chainId, currency } = route.origin;
	const { chainId: there, currency: got } = route.destination;
	const nowMs = core.clock.nowMs();
	if (prices.usdRate({ chainId, currency }, nowMs) !== null) return {};
	const out = prices.usdRate({ chainId: there, currency: got }, nowMs);
	const coin = prices.usdRate({ chainId, currency: ZERO_ADDRESS }, nowMs);
	if (!out || !coin || out.answer <= 0n || coin.answer <= 0n) return {};
	const scale = 10n ** BigInt(coin.decimals + coin.currencyDecimals);
	const units = 10n ** BigInt(out.decimals + out.currencyDecimals) * coin.answer;
	const expectedRaw = mulDiv(quote.expectedOutRaw, out.answer * scale, units, "up");
	const paid = microsOf(quote.told.paidUsd);
	const paidRaw = mulDiv(paid, scale, coin.answer * MICROS, "up");
	return { worth: { currency: ZERO_ADDRESS, raw: paidRaw > expectedRaw ? paidRaw : expectedRaw } };
}

/** Reads US dollars as microdollars; zero where nobody says them. */
function microsOf(told: string | null): bigint {
	const [whole = "", part = ""] = told === null || told.startsWith("-") ? [] : told.split(".");
	return BigInt(`${whole}${part.slice(0, 6).padEnd(6, "0")}`);
}

/** Returns the plan of a deposit by a quote, as it is judged, shown and sent. */
export function depositPlan(
	context: BridgeContext,
	given: {
		route: BridgeRoute;
		quote: ToldQuote;
		step: Pick<BridgeStep, "chainId" | "to" | "valueRaw" | "data">;
	},
): Plan {
	const { route, quote, step } = given;
	const worth = worthOf(context, given);
	const { origin, destination, recipient, user, amountRaw } = route;
	const money = (units: bigint, currency: BridgeRoute["origin"]) =>
		`${formatAmount({ units, currency })} ${currency.symbol}`;
	const isOwn = recipient === user;
	// What a message costs is paid with the call, beside what is sent.
	const paidRaw = origin.currency === ZERO_ADDRESS ? amountRaw : 0n;
	const feeRaw = step.valueRaw > paidRaw ? step.valueRaw - paidRaw : 0n;
	const whom = isOwn ? "your own address" : recipient;
	return {
		...{ chainId: step.chainId, from: user, to: step.to, valueRaw: step.valueRaw },
		data: step.data,
		spend: {
			...{ currency: origin.currency, raw: amountRaw },
			...{ decimals: origin.decimals, symbol: origin.symbol, ...worth },
		},
		...(feeRaw > 0n && { feeRaw }),
		// One's own address is nobody new, on whatever chain.
		recipient: isOwn ? null : recipient,
		shown: {
			action: BRIDGE_DEPOSIT,
			summary:
				`Bridges ${money(amountRaw, origin)} from ${origin.chain} to ${destination.chain}: ` +
				`at least ${money(quote.minimumOutRaw, destination)} to ${whom}.` +
				(quote.told.isLossUnknown ? " What is lost of its worth on the way is not known." : ""),
			...{ receives: recipient, refundTo: route.refundTo },
			minimumOut: money(quote.minimumOutRaw, destination),
			minimumOutRaw: String(quote.minimumOutRaw),
			expectedOut: money(quote.expectedOutRaw, destination),
			...{ orderId: quote.orderId, requestId: quote.requestId },
		},
		expiresAtMs: quote.deadlineMs - QUOTE_MARGIN_MS,
	};
}

/** Returns whether a newer plan costs the same and promises as much as the approved one. */
function keepsDeposit(approved: Plan, fresh: Plan): boolean {
	const same = (plan: Plan) => {
		const { chainId, from, to, recipient, feeRaw = 0n } = plan;
		// What a message costs moves, and limits look at it anew.
		const valueRaw = plan.valueRaw - feeRaw;
		// What it is worth moves with prices; limits look at it anew.
		const { worth: _, ...spend } = plan.spend;
		const { receives, refundTo } = plan.shown;
		return { chainId, from, to, valueRaw, spend, recipient, receives, refundTo };
	};
	const promised = (plan: Plan) => BigInt(String(plan.shown["minimumOutRaw"] ?? "0"));
	return Bun.deepEquals(same(approved), same(fresh)) && promised(fresh) >= promised(approved);
}

/** Denies a recipient that is new, as for any payment; one's own address never is. */
function recipientDenial({ limits, recipientKnownForMs }: SpendSituation): Denial | null {
	if (recipientKnownForMs === null || recipientKnownForMs >= limits.recipientCooldownMs)
		return null;
	return {
		code: "recipient_cooldown",
		detail: "The recipient is new. Try again once it is known for longer.",
	};
}
