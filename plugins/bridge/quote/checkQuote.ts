// Checks every member of the provider's quote against the route that was asked for.

import { type Address, type Hex, isWord } from "#core/chain/Hex.ts";
import {
	IMPACT_PERCENT_MIN,
	MINIMUM_SHARE_BPS,
	QUOTE_LIFETIME_MAX_MS,
	QUOTE_MARGIN_MS,
} from "#plugins/bridge/limits.ts";
import type { BridgeRoute } from "#plugins/bridge/model.ts";
import {
	type Authorization,
	type BridgeStep,
	readAuthorizations,
	stepsOf,
} from "#plugins/bridge/quote/authorizations.ts";
import { orderIdOf, orderSignerOf } from "#plugins/bridge/relay/order.ts";
import type { RelayChain, RelayQuote } from "#plugins/bridge/relay/Relay.ts";

/** Holds the promises of a quote that agrees with what was asked for. */
export type CheckedQuote = {
	requestId: Hex;
	orderId: Hex;
	depository: Address;
	minimumOutRaw: bigint;
	expectedOutRaw: bigint;
	/** The order's end: what is not filled by then comes back. */
	deadlineMs: number;
	/** Transactions; none where signatures take their place. */
	steps: BridgeStep[];
	/** Messages that are signed and handed to the provider, in this order; else empty. */
	authorizations: Authorization[];
};

export type QuoteVerdict =
	| { kind: "good"; quote: CheckedQuote }
	| { kind: "bad"; code: QuoteRefusal; detail: string };

/** `quote_mismatch`: it is about something else than was asked for, or contradicts itself. */
type QuoteRefusal =
	| "quote_mismatch"
	| "quote_expired"
	| "signature_steps_unsupported"
	| "slippage_too_high"
	| "price_impact_too_high";

type QuoteAsked = {
	route: BridgeRoute;
	/** As the provider publishes them now, with the solvers and contracts alone that are pinned. */
	origin: RelayChain;
	destination: RelayChain;
	/** A signature was asked for: only then a quote may have one. */
	usePermit: boolean;
	nowMs: number;
};

type Refunds = RelayQuote["protocol"]["v2"]["orderData"]["inputs"][number]["refunds"];

type WireItem = Extract<RelayQuote["steps"][number], { kind: "transaction" }>["items"][number];

const BPS = 10_000n;
const APPROVE = /^approv(e|al)$/;

const NONE = { authorizations: [], untilMs: Number.POSITIVE_INFINITY };

/**
 * Checks a quote against the request, member by member. Its steps are not used: they are built
 * here, and the quote's must equal them to the last byte. Only the order says where the money goes,
 * so its hash must be the id that the deposit names, and its solver must be the provider's.
 */
export async function checkQuote(asked: QuoteAsked, said: RelayQuote): Promise<QuoteVerdict> {
	const { route, origin, destination } = asked;
	const isSigned = said.steps.some(({ kind }) => kind === "signature");
	if (isSigned && !asked.usePermit) {
		return bad("signature_steps_unsupported", "a step asks for a signature");
	}
	const requestId = requestIdOf(said);
	if (requestId === null) return bad("quote_mismatch", "its steps are of several requests");
	if (origin.protocol === null || destination.protocol === null) {
		return bad("quote_mismatch", "a chain takes no deposits");
	}
	const { orderData: order, orderId, orderSignature } = said.protocol.v2;
	if (orderIdOf(order) !== orderId) return bad("quote_mismatch", "its order has another id");
	const signer = await orderSignerOf(orderId, orderSignature);
	const solvers = [...origin.solverAddresses, ...destination.solverAddresses];
	if (signer !== order.solver || !solvers.includes(order.solver)) {
		return bad("quote_mismatch", "its order is not signed by the provider's solver");
	}
	const flaw = orderFlaw(asked, said) ?? detailsFlaw(route, said);
	if (flaw !== null) return bad("quote_mismatch", flaw);
	const { depository } = origin.protocol;
	const { currency, chainId } = route.origin;
	const { user, amountRaw } = route;
	const steps = isSigned
		? []
		: stepsOf({ chainId, user, depository, currency, amountRaw, orderId });
	const stepFlaw = isSigned ? null : stepsFlaw(steps, said);
	if (stepFlaw !== null) return bad("quote_mismatch", stepFlaw);
	const [payment] = order.output.payments;
	if (!payment) return bad("quote_mismatch", "it pays nobody");
	const { minimumAmount: minimumOutRaw, expectedAmount: expectedOutRaw } = payment;
	const priced = priceVerdict(asked, said);
	if (priced !== null) return priced;
	const signed = isSigned ? readAuthorizations(asked, { said, requestId }) : NONE;
	if ("flaw" in signed) return bad(signed.code, signed.flaw);
	const deadlineMs = Math.min(order.output.deadline * 1_000, signed.untilMs);
	const quote = {
		requestId,
		orderId,
		depository,
		minimumOutRaw,
		expectedOutRaw,
		deadlineMs,
		steps,
		authorizations: signed.authorizations,
	};
	return { kind: "good", quote };
}

function bad(code: QuoteRefusal, detail: string): QuoteVerdict {
	return { kind: "bad", code, detail };
}

/** Returns the request that all steps belong to; null where there are several. */
function requestIdOf({ requestId, steps }: RelayQuote): Hex | null {
	const named = steps.flatMap((step) => {
		const checked = step.items.flatMap(({ check }) => check?.toLowerCase() ?? []);
		return [step.requestId ?? [], checked].flat();
	});
	const ids = new Set<string>([...named, ...(requestId ? [requestId] : [])]);
	const [id] = ids;
	return ids.size === 1 && id !== undefined && isWord(id) ? id : null;
}

/** Returns what of the order is not as it was asked for; null: nothing. */
function orderFlaw(
	{ route, origin, destination }: QuoteAsked,
	{ protocol: { v2 } }: RelayQuote,
): string | null {
	const { orderData: order, paymentDetails: paid } = v2;
	const [from, to] = [origin.protocol, destination.protocol];
	const [input] = order.inputs;
	if (!input || order.inputs.length !== 1) return "it has not one input";
	const { payment, refunds } = input;
	if (payment.chainId !== from?.name) return "it is paid on another chain";
	if (payment.currency !== route.origin.currency) return "it is paid in another currency";
	if (payment.amount !== route.amountRaw || payment.weight !== 1n) return "it costs something else";
	if (paid.chainId !== from.name || paid.depository !== from.depository) {
		return "it is paid into a contract that the provider does not publish";
	}
	if (paid.currency !== payment.currency || paid.amount !== payment.amount) {
		return "what is to be paid is not what its order says";
	}
	const { output } = order;
	const [out] = output.payments;
	if (!out || output.payments.length !== 1) return "it pays not one recipient";
	if (output.chainId !== to?.name) return "it pays on another chain";
	if (out.recipient !== route.recipient) return "it pays somebody else";
	if (out.currency !== route.destination.currency) return "it pays in another currency";
	if (out.minimumAmount === 0n || out.expectedAmount < out.minimumAmount) {
		return "it promises nothing";
	}
	if (output.calls.length > 0 || order.fees.length > 0) return "it pays others as well";
	if (!isOfProvider(output.extraData, destination)) return "somebody else would fill it";
	return refundFlaw({ route, origin, destination }, { refunds, deadline: output.deadline });
}

/**
 * Returns what is wrong with the refunds; null: nothing. Each must pay who was named, in a currency
 * that the provider holds there, and one of them must be on the origin chain.
 */
function refundFlaw(
	{ route, origin, destination }: Pick<QuoteAsked, "route" | "origin" | "destination">,
	{ refunds, deadline }: { refunds: Refunds; deadline: number },
): string | null {
	if (!refunds.some(({ chainId }) => chainId === origin.protocol?.name)) {
		return "nothing comes back on the chain that it came from";
	}
	for (const refund of refunds) {
		const isOrigin = refund.chainId === origin.protocol?.name;
		const isDestination = refund.chainId === destination.protocol?.name;
		if (!isOrigin && !isDestination) return "it comes back on a third chain";
		const whom = isOrigin ? [route.refundTo] : [route.recipient, route.refundTo];
		if (!whom.includes(refund.recipient)) return "it comes back to somebody else";
		const place = isOrigin ? route.origin : route.destination;
		const held = isOrigin ? origin.solverCurrencies : destination.solverCurrencies;
		if (refund.currency !== place.currency && !held.includes(refund.currency)) {
			return "it comes back in a currency that nobody named";
		}
		const chain = isOrigin ? origin : destination;
		if (!isOfProvider(refund.extraData, chain)) return "somebody else would pay it back";
		if (refund.deadline < deadline) return "its way back ends before the order does";
	}
	return null;
}

/** Returns whether an order's extra bytes name no address, or one of the provider's contracts. */
function isOfProvider(extraData: Hex, { contracts = [] }: RelayChain): boolean {
	const words = contracts.map((one) => `0x${one.slice(2).padStart(64, "0")}`);
	return extraData === "0x" || words.includes(extraData);
}

/** Returns what the quote shows differently from its order; null: nothing. */
function detailsFlaw(
	{ origin, destination, ...route }: BridgeRoute,
	said: RelayQuote,
): string | null {
	const { sender, recipient, currencyIn, currencyOut } = said.details;
	const [out] = said.protocol.v2.orderData.output.payments;
	if (sender !== route.user || recipient !== route.recipient) return "it is about somebody else";
	for (const [money, place] of [
		[currencyIn, origin],
		[currencyOut, destination],
	] as const) {
		const { chainId, address, decimals } = money.currency;
		if (chainId !== place.chainId || address !== place.currency) return "it shows other money";
		if (decimals !== place.decimals) return "it counts in other decimals";
	}
	if (currencyIn.amount !== route.amountRaw) return "it shows another amount";
	const shownRaw = currencyOut.minimumAmount ?? out?.minimumAmount;
	const isTrue = currencyOut.amount === out?.expectedAmount && shownRaw === out.minimumAmount;
	if (!isTrue) return "it shows another amount than its order promises";
	const app = said.fees?.app;
	if (app && app.amount !== "0") return "it takes a fee for somebody else";
	return null;
}

/**
 * Returns how the quote's steps differ from ours; null: only by an allowance that exists already.
 */
function stepsFlaw(ours: readonly BridgeStep[], said: RelayQuote): string | null {
	const theirs = said.steps.flatMap((step) => {
		if (step.kind !== "transaction") return [];
		const isApprove = APPROVE.test(step.id);
		// An allowance that exists already is no step; a deposit that does not is not left out.
		const items = step.items.filter(({ status }) => !isApprove || status !== "complete");
		return isApprove && items.length === 0 ? [] : [{ id: step.id, items }];
	});
	const [reset] = theirs;
	// Some tokens take a new allowance only in place of none: the old one is taken back first.
	const isReset = ours.length > 1 && theirs.length > ours.length && isResetOf(ours[0], reset);
	const asked = isReset ? theirs.slice(1) : theirs;
	const isAllowed = ours.length > asked.length && ours[0]?.kind === "approve";
	const wanted = isAllowed ? ours.slice(1) : ours;
	if (asked.length !== wanted.length) return "it has other steps";
	for (const [index, { id, items }] of asked.entries()) {
		const step = wanted[index];
		const [item] = items;
		if (!step || !item || items.length !== 1) return "a step has not one part";
		const isNamed = step.kind === "deposit" ? id === "deposit" : APPROVE.test(id);
		if (!isNamed) return `it has a step "${id.slice(0, 20)}"`;
		if (item.status === "complete") return "a step is said to be done already";
		const { to, data, value, chainId } = item.data;
		if (chainId !== step.chainId) return "a step is on another chain";
		if ((item.data.from ?? step.from) !== step.from) return "a step is somebody else's";
		if (to !== step.to) return "a step pays another party";
		if (value !== step.valueRaw) return "a step pays another amount";
		if (data !== step.data) return "a step does something else";
	}
	return null;
}

/** Returns whether a step takes back exactly the allowance that ours gives. */
function isResetOf(
	approve: BridgeStep | undefined,
	theirs: { id: string; items: readonly WireItem[] } | undefined,
): boolean {
	const [item] = theirs?.items ?? [];
	if (!approve || !theirs || item?.status !== "incomplete" || theirs.items.length !== 1)
		return false;
	const { from, to, data, value, chainId } = item.data;
	const isSame =
		(from ?? approve.from) === approve.from && to === approve.to && chainId === approve.chainId;
	const isNone = value === 0n && data === `${approve.data.slice(0, -64)}${"0".repeat(64)}`;
	return APPROVE.test(theirs.id) && isSame && isNone;
}

/** Refuses a quote that ends too soon, or loses too much by its own figures; null: it is good. */
function priceVerdict({ nowMs }: QuoteAsked, said: RelayQuote): QuoteVerdict | null {
	const { output } = said.protocol.v2.orderData;
	const leftMs = output.deadline * 1_000 - nowMs;
	if (leftMs < QUOTE_MARGIN_MS)
		return bad("quote_expired", "its order has ended, or ends too soon");
	if (leftMs > QUOTE_LIFETIME_MAX_MS) return bad("quote_mismatch", "its order never ends");
	const [out] = output.payments;
	if (out && out.minimumAmount * BPS < out.expectedAmount * MINIMUM_SHARE_BPS) {
		return bad("slippage_too_high", "it guarantees too little of what it expects");
	}
	const percent = Number(said.details.totalImpact?.percent ?? "0");
	if (percent < IMPACT_PERCENT_MIN) return bad("price_impact_too_high", `it loses ${percent} %`);
	return null;
}
