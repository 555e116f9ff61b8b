// Plans and settles the deposit of a bridge, and denies what goes beyond its bounds.

import { decodeEventLog, encodeFunctionData, erc20Abi } from "viem";
import { z } from "zod";
import { type Address, type Hex, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { anyCaseWordSchema } from "#core/chain/hexSchemas.ts";
import type { Tx } from "#core/db/Database.ts";
import { denied, Fault } from "#core/fault.ts";
import { formatAmount, mulDiv } from "#core/money.ts";
import { type BridgeContext, depositSteps } from "#plugins/bridge/bridgeConfig.ts";
import { switchDenial } from "#plugins/bridge/bridges/bridgeBody.ts";
import { pinnedDenial } from "#plugins/bridge/bridges/pinContracts.ts";
import { type Offered, offerQuote, storeOffered } from "#plugins/bridge/bridges/quoteBridge.ts";
import { sentBy } from "#plugins/bridge/direct/oft.ts";
import { QUOTE_MARGIN_MS } from "#plugins/bridge/limits.ts";
import { type BridgeStep, depositoryAbi } from "#plugins/bridge/quote/authorizations.ts";
import type { BridgeRoute } from "#plugins/bridge/quote/bridgeRoute.ts";
import type { CheckedQuote } from "#plugins/bridge/quote/checkQuote.ts";
import { type Bridge, readBridge } from "#plugins/bridge/sql/bridges.ts";
import { readQuote } from "#plugins/bridge/sql/quotes.ts";
import {
	ALLOWANCE,
	type AllowanceRequest,
	type Denial,
	type Intent,
	type IntentKind,
	type Outbound,
	type Plan,
	type Preparation,
	type Receipt,
	type SpendSituation,
	type Wallet,
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

type Preparing = {
	intent: Intent<DepositRequest>;
	wallet: Wallet;
	outbound: Outbound;
	signal: AbortSignal;
};
type QuoteNeeded = { intent: Pick<Intent, "afterId">; outbound: Outbound; signal: AbortSignal };

/** The quote that a deposit is planned by; `keep` stores a newer one with the plan. */
type Found = { quote: CheckedQuote; kept: { keep?(tx: Tx): Promise<void> } };

const wordAsNumber = anyCaseWordSchema.transform(BigInt);

/**
 * Pays into the bridge provider's depository. The call is the stored step and nothing else; with a
 * token it is planned once the depository may take exactly the amount.
 */
export function depositKind(context: BridgeContext): IntentKind<DepositRequest> {
	return {
		name: BRIDGE_DEPOSIT,
		plugin: "bridge",
		request: depositRequest,
		steps: depositSteps,
		prepare: (intent, { wallet, outbound, signal }) =>
			prepare(context, { intent, wallet, outbound, signal }),
		keeps: keepsDeposit,
		// What is deposited for an order that has ended only comes back.
		endsWithPlan: true,
		deny: recipientDenial,
		settle: (intent, receipt) => settle(context, intent, receipt),
	};
}

async function prepare(context: BridgeContext, preparing: Preparing): Promise<Preparation> {
	const { intent, wallet } = preparing;
	const bridge = await readBridge(context.core.db, intent.request.bridgeId);
	if (!bridge?.route || bridge.intentId !== intent.id) {
		return denied("bridge_missing", "The bridge of this deposit is not there.");
	}
	const { route } = bridge;
	const refusal = refusalOf(context, bridge, { wallet, chainId: intent.chainId });
	if (refusal) return { kind: "denied", denial: refusal };
	const found = await quoteFor(context, bridge, preparing);
	if ("code" in found) return { kind: "denied", denial: found };
	const { quote, kept } = found;
	const beyond = boundsDenial(intent.request, { route, quote });
	if (beyond) return { kind: "denied", denial: beyond };
	const step = quote.steps.at(-1);
	if (step?.kind !== "deposit") return denied("quote_missing", "The bridge has no deposit.");
	const changed = await depositoryDenial(context, preparing, { bridge, step });
	if (changed) return { kind: "denied", denial: changed };
	const plan = depositPlan(context, { route, quote, step });
	const isAllowed = quote.steps.every(({ kind }) => kind !== "approve");
	if (isAllowed) return { kind: "plan", plan, ...kept };
	const allowed = await allowanceOf(context, preparing, { route, spender: step.to });
	if (allowed === null) return denied("chain_unavailable", "The allowance cannot be read now.");
	if (allowed >= route.amountRaw) return { kind: "plan", plan, ...kept };
	const request: AllowanceRequest = {
		...{ token: route.origin.currency, spender: step.to, amountRaw: String(route.amountRaw) },
		...{ for: "bridge", shown: plan.shown },
	};
	const { spend, feeRaw } = plan;
	const fee = feeRaw === undefined ? {} : { feeRaw };
	return { kind: "first", intent: { kind: ALLOWANCE, request }, spend, ...fee, ...kept };
}

/** Returns why no further step of a bridge may be taken, whatever its quote; null: it may. */
export function refusalOf(
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
export function boundsDenial(
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
export async function quoteFor(
	context: BridgeContext,
	bridge: Bridge,
	{ intent, outbound, signal }: QuoteNeeded,
): Promise<Found | Denial> {
	const seq = bridge.quoteSeq ?? 0;
	const quote = await readQuote(context.core.db, { bridgeId: bridge.id, seq });
	const { clock } = context.core;
	if (quote && quote.deadlineMs - clock.nowMs() > QUOTE_MARGIN_MS) return { quote, kept: {} };
	const expired = { code: "quote_expired", detail: "The bridge's quote has ended." };
	if (intent.afterId !== null) return expired;
	try {
		const offered = await outbound("bridge.quote", () => offerQuote(context, bridge, signal));
		if (offered.kind === "bad") return offered.denial;
		return { quote: offered.quote, kept: { keep: keeping(context, bridge, offered) } };
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
 * Returns why nothing is deposited into the contract of a step now: it is not as it was pinned;
 * null: it is. Direct bridges' contracts are those that an operator named.
 */
async function depositoryDenial(
	context: BridgeContext,
	{ outbound, signal }: Preparing,
	{ bridge, step }: { bridge: Bridge; step: BridgeStep },
): Promise<Denial | null> {
	if (bridge.request.mode === "direct") return null;
	const { chainId, to: address } = step;
	return await outbound("bridge.allowance", () =>
		pinnedDenial(context, { chainId, role: "depository", address, signal }),
	);
}

/** Reads how much the depository may take of the token; null where no node says. */
async function allowanceOf(
	{ readers }: BridgeContext,
	{ outbound, signal }: Preparing,
	{ route, spender }: { route: BridgeRoute; spender: Address },
): Promise<bigint | null> {
	const { chainId, currency } = route.origin;
	const args = [route.user, spender] as const;
	const data = encodeFunctionData({ abi: erc20Abi, functionName: "allowance", args });
	try {
		const read = readers.own(chainId);
		const told = await outbound("bridge.allowance", async () =>
			read?.("eth_call", [{ to: currency, data }, "latest"], signal),
		);
		return wordAsNumber.parse(told);
	} catch {
		return null;
	}
}

/**
 * Returns what a token without a feed is worth, by what is expected for it: in the coin of its
 * chain, which has a price. Left out where the token has a feed, or where nothing here knows.
 */
function worthOf(
	{ prices, core }: BridgeContext,
	{ route, quote }: { route: BridgeRoute; quote: CheckedQuote },
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
	const raw = mulDiv(quote.expectedOutRaw, out.answer * scale, units, "up");
	return { worth: { currency: ZERO_ADDRESS, raw } };
}

/** Returns the plan of a deposit by a quote, as it is judged, shown and sent. */
export function depositPlan(
	context: BridgeContext,
	given: {
		route: BridgeRoute;
		quote: CheckedQuote;
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
				`at least ${money(quote.minimumOutRaw, destination)} to ${whom}.`,
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
export function keepsDeposit(approved: Plan, fresh: Plan): boolean {
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
export function recipientDenial({ limits, recipientKnownForMs }: SpendSituation): Denial | null {
	if (recipientKnownForMs === null || recipientKnownForMs >= limits.recipientCooldownMs)
		return null;
	return {
		code: "recipient_cooldown",
		detail: "The recipient is new. Try again once it is known for longer.",
	};
}

/** Returns null if the depository took the money for the plan's order, else a denial. */
async function settle(
	{ core }: BridgeContext,
	{ plan, request }: Intent<DepositRequest>,
	receipt: Receipt,
): Promise<Denial | null> {
	const orderId = String(plan?.shown["orderId"]);
	const bridge = await readBridge(core.db, request.bridgeId);
	if (bridge?.request.mode === "direct") return directDenial(bridge, { plan, receipt });
	const isThere = receipt.logs.some(({ address, topics, data }) => {
		if (address.toLowerCase() !== plan?.to) return false;
		const found = depositedBy({ topics, data });
		return found?.id === orderId && found.raw === bridge?.route?.amountRaw;
	});
	if (isThere) return null;
	return { code: "deposit_missing", detail: "The depository did not take it for this order." };
}

/** Returns null if a LayerZero message was sent for exactly the owner's amount, else a denial. */
function directDenial(
	{ route }: Bridge,
	{ plan, receipt }: { plan: Plan | null; receipt: Receipt },
): Denial | null {
	const sent = plan && sentBy(receipt.logs, plan.to);
	if (sent?.from === route?.user && sent?.raw === route?.amountRaw) return null;
	return { code: "deposit_missing", detail: "The token's contract sent no message for it." };
}

function depositedBy(log: { topics: readonly Hex[]; data: Hex }): { id: Hex; raw: bigint } | null {
	try {
		const topics = log.topics as [Hex, ...Hex[]];
		const { args } = decodeEventLog({ abi: depositoryAbi, topics, data: log.data });
		return args ? { id: args.id, raw: args.amount } : null;
	} catch {
		return null;
	}
}
