// Gets a checked quote for a route, and replaces the stored one.

import { chainNumbers } from "#core/chain/Chain.ts";
import type { Queryable, Tx } from "#core/db/Database.ts";
import { Fault } from "#core/fault.ts";
import { formatAmount } from "#core/money.ts";
import type { BridgeContext } from "#plugins/bridge/bridgeConfig.ts";
import {
	contractsDenial,
	knownPins,
	solverDenial,
	withPinned,
} from "#plugins/bridge/bridges/pinContracts.ts";
import {
	type Resolved,
	readRouteRules,
	resolveRoute,
} from "#plugins/bridge/bridges/resolveRoute.ts";
import { quoteDirect } from "#plugins/bridge/direct/quoteDirect.ts";
import { VALUE_LOSS_BPS_MAX } from "#plugins/bridge/limits.ts";
import type { BridgeRoute } from "#plugins/bridge/model.ts";
import { type CheckedQuote, checkQuote } from "#plugins/bridge/quote/checkQuote.ts";
import type { RelayCallOptions, RelayChain, RelayQuote } from "#plugins/bridge/relay/Relay.ts";
import { type Bridge, changeBridge, lockBridge } from "#plugins/bridge/sql/bridges.ts";
import { insertQuote, knownPart, type Told } from "#plugins/bridge/sql/quotes.ts";
import type { Denial } from "#plugins/wallets/contract.ts";

type Quoting = { kind: "good"; quote: CheckedQuote; told: Told } | { kind: "bad"; denial: Denial };

/** A newer quote of a bridge, checked and not stored. */
export type Offered = Extract<Quoting, { kind: "good" }>;

/** Our codes for the provider's codes of a refusal; others are `quote_refused`. */
const REFUSALS: Readonly<Record<string, string>> = {
	AMOUNT_TOO_LOW: "amount_invalid",
	INSUFFICIENT_FUNDS: "balance_insufficient",
	INSUFFICIENT_LIQUIDITY: "liquidity_insufficient",
	NO_QUOTES: "liquidity_insufficient",
	NO_SWAP_ROUTES_FOUND: "liquidity_insufficient",
	NO_INTERNAL_SWAP_ROUTES_FOUND: "liquidity_insufficient",
	SWAP_IMPACT_TOO_HIGH: "price_impact_too_high",
	CHAIN_DISABLED: "chain_unavailable",
	UNSUPPORTED_CHAIN: "chain_unavailable",
	ROUTE_TEMPORARILY_RESTRICTED: "chain_unavailable",
	UNSUPPORTED_CURRENCY: "currency_unknown",
	INVALID_INPUT_CURRENCY: "currency_unknown",
	INVALID_OUTPUT_CURRENCY: "currency_unknown",
	SANCTIONED_WALLET_ADDRESS: "policy_denied",
	SANCTIONED_CURRENCY: "policy_denied",
};

/**
 * Asks the provider for a quote of a route, and checks it against the route and against our own
 * feeds. A provider that does not answer, or not readably, is a Fault.
 */
export async function quoteBridge(
	context: BridgeContext,
	resolved: Resolved,
	options: RelayCallOptions,
): Promise<Quoting> {
	const { route, origin, destination, usePermit, direct } = resolved;
	if (direct) {
		const { signal } = options;
		return await quoteDirect(context, { route, direct, origin, destination, signal });
	}
	const { signal } = options;
	const pins = await knownPins(context, [origin, destination]);
	const [said, newestBlock, refused] = await Promise.all([
		context.relay.quote({ ...requestOf(route), usePermit }, options).catch(refusalOf),
		newestBlockOf(context, destination, signal),
		contractsDenial(context, pins, { origin, usePermit, signal }),
	]);
	if ("kind" in said) return said;
	const { solver } = said.protocol.v2.orderData;
	const chains = [origin, destination];
	const denial = refused ?? solverDenial(context, pins, { chains, solver });
	if (denial) return { kind: "bad", denial };
	const nowMs = context.core.clock.nowMs();
	const ends = withPinned({ origin, destination }, pins);
	const asked = { route, ...ends, usePermit, nowMs };
	const verdict = await checkQuote(asked, said);
	if (verdict.kind === "bad") {
		const { code, detail } = verdict;
		context.core.log.warn("a quote was refused", { code, detail });
		return { kind: "bad", denial: { code, detail: `The bridge's quote was refused: ${detail}.` } };
	}
	const loss = lossOf(context, route, { quote: verdict.quote, said });
	if (loss === "too_much")
		return bad("price_impact_too_high", "Too much of its worth would be lost.");
	const told = { ...toldOf(said), newestBlock, isLossUnknown: loss === "unknown" };
	return { kind: "good", quote: verdict.quote, told };
}

/** Reads the newest block of a chain, as decimal text; null where no node of ours says. */
async function newestBlockOf(
	{ readers }: BridgeContext,
	{ id }: RelayChain,
	signal: AbortSignal,
): Promise<string | null> {
	try {
		const told = await readers.own(id)?.("eth_blockNumber", [], signal);
		return String(chainNumbers.blockNumber.parse(told));
	} catch {
		return null;
	}
}

/** Asks for a newer quote and stores it. Where the deposit may be on its way none is replaced. */
export async function replaceQuote(
	context: BridgeContext,
	bridge: Bridge,
	signal: AbortSignal,
): Promise<Denial | null> {
	const { core, steps } = context;
	const offered = await steps.run("bridge.quote", () => offerQuote(context, bridge, signal));
	if (offered.kind === "bad") return offered.denial;
	const act = async (tx: Tx) => {
		const held = await lockBridge(tx, bridge.id);
		if (!held || held.depositedAt !== null || held.quoteSeq !== bridge.quoteSeq) {
			return { code: "quote_expired", detail: "The bridge's quote was replaced meanwhile." };
		}
		await storeOffered(tx, { bridgeId: bridge.id, offered, at: new Date(core.clock.nowMs()) });
		return null;
	};
	return await steps.run("bridge.store", () => core.db.transaction(act));
}

/**
 * Asks for a newer quote of the route that a bridge has, and checks it. Stores nothing: who plans
 * by it stores it with the plan.
 */
export async function offerQuote(
	context: BridgeContext,
	bridge: Bridge,
	signal: AbortSignal,
): Promise<Quoting> {
	if (!bridge.route) return bad("quote_missing", "The bridge has no route.");
	const resolved = await publishedRoute(context, bridge, bridge.route, signal);
	if ("denial" in resolved) return { kind: "bad", denial: resolved.denial };
	const quoted = await quoteBridge(context, resolved, { purpose: "trade", signal });
	const denial = quoted.kind === "good" ? await takenDenial(context.core.db, quoted.quote) : null;
	return denial ? { kind: "bad", denial } : quoted;
}

/** Returns why a quote is refused: its order or signature is another quote's; null: it is not. */
export async function takenDenial(db: Queryable, quote: CheckedQuote): Promise<Denial | null> {
	const known = await knownPart(db, quote);
	if (known === null) return null;
	return {
		code: "quote_mismatch",
		detail: `The bridge's quote names the ${known} of another one.`,
	};
}

/** Stores an offered quote in place of the one before, which stays readable. */
export async function storeOffered(
	tx: Tx,
	given: { bridgeId: string; offered: Offered; at: Date },
): Promise<void> {
	const { bridgeId, offered, at } = given;
	const { quote, told } = offered;
	const quoteSeq = await insertQuote(tx, { bridgeId, quote, told, at });
	await changeBridge(tx, bridgeId, { quoteSeq });
}

function requestOf(route: BridgeRoute) {
	const { user, recipient, refundTo, amountRaw, origin, destination } = route;
	return {
		...{ user, recipient, refundTo, amountRaw },
		...{ originChainId: origin.chainId, destinationChainId: destination.chainId },
		...{ originCurrency: origin.currency, destinationCurrency: destination.currency },
	};
}

/** Returns the provider's refusal as a denial; throws any other error, such as its silence. */
function refusalOf(error: unknown): Extract<Quoting, { kind: "bad" }> {
	const isRefusal = error instanceof Fault && error.code === "bridge_provider_refused";
	if (!isRefusal) throw error;
	const code = REFUSALS[String(error.meta["errorCode"])] ?? "quote_refused";
	return { kind: "bad", denial: { code, detail: "The bridge provider has no quote for this." } };
}

/**
 * Returns whether a quote guarantees much less worth than is given: by our feeds, and for an end
 * that has none by what the provider says. `unknown`: nobody says it, which is not that nothing is
 * lost.
 */
function lossOf(
	{ prices, core }: BridgeContext,
	{ origin, destination, amountRaw }: BridgeRoute,
	{ quote, said }: { quote: CheckedQuote; said: RelayQuote },
): "too_much" | "unknown" | null {
	const { currencyIn, currencyOut, totalImpact } = said.details;
	const usdOf = ({ chainId, currency }: BridgeRoute["origin"], raw: bigint) =>
		prices.toUsd({ chainId, currency }, raw, core.clock.nowMs());
	const given = usdOf(origin, amountRaw) ?? dollars(currencyIn.amountUsd);
	const expected = dollars(currencyOut.amountUsd);
	const share = Number(quote.minimumOutRaw) / Number(quote.expectedOutRaw);
	const got =
		usdOf(destination, quote.minimumOutRaw) ?? (expected === null ? null : expected * share);
	// Its own figure of the loss was held against its limit.
	if (given === null || got === null) return totalImpact?.percent == null ? "unknown" : null;
	const kept = 10_000n - VALUE_LOSS_BPS_MAX;
	return got * 10_000 >= given * Number(kept) ? null : "too_much";
}

/** Returns a figure of the provider's in US dollars; null where it says none. */
function dollars(told: string | null | undefined): number | null {
	return told == null || told.startsWith("-") ? null : Number(told);
}

function toldOf(said: RelayQuote): Omit<Told, "newestBlock" | "isLossUnknown"> {
	const fees = Object.entries(said.fees ?? {}).flatMap(([name, fee]) =>
		fee
			? [
					[
						name,
						{
							...{ amountRaw: fee.amount, symbol: fee.currency.symbol },
							amountUsd: fee.amountUsd ?? null,
						},
					] as const,
				]
			: [],
	);
	const { totalImpact, timeEstimate, rate, currencyIn } = said.details;
	const { orderData, orderSignature } = said.protocol.v2;
	return {
		fees: Object.fromEntries(fees),
		...{ impactPercent: totalImpact?.percent ?? null, impactUsd: totalImpact?.usd ?? null },
		paidUsd: currencyIn.amountUsd ?? null,
		...{ estimateSeconds: timeEstimate ?? null, rate: rate ?? null, orderSignature },
		order: JSON.parse(
			JSON.stringify(orderData, (_, value) => (typeof value === "bigint" ? String(value) : value)),
		),
	};
}

function bad(code: string, detail: string): Quoting {
	return { kind: "bad", denial: { code, detail } };
}

/** Resolves the stored route by the chains that are published now; a chain taken out is refused. */
async function publishedRoute(
	context: BridgeContext,
	bridge: Bridge,
	route: BridgeRoute,
	signal: AbortSignal,
): Promise<Resolved | { denial: Denial }> {
	const { wallets, core } = context;
	const { profileId } = bridge;
	const [{ profile }, rules] = await Promise.all([
		wallets.principalOf({ channel: "agent", authority: "session", profileId }),
		readRouteRules(core.db, profileId),
	]);
	const wallet = profile.wallets.find(({ id }) => id === bridge.walletId);
	if (!wallet) return { denial: { code: "wallet_changed", detail: "The wallet is gone." } };
	const options = { purpose: "trade", signal } as const;
	// By what the names meant the first time: a symbol may mean something else by now.
	const request = {
		...bridge.request,
		amount: formatAmount({ units: route.amountRaw, currency: route.origin }),
		...{ from: String(route.origin.chainId), to: String(route.destination.chainId) },
		...{ currency: route.origin.currency, as: route.destination.currency },
		...{ recipient: route.recipient, refundTo: route.refundTo },
	};
	const found = await resolveRoute(context, { request, wallet, rules, options });
	if (found.kind === "bad") return { denial: found.denial };
	const isSame = Bun.deepEquals(found.resolved.route, route);
	if (!isSame) core.log.warn("a bridge's route changed", { bridgeId: bridge.id });
	const changed = { code: "quote_mismatch", detail: "The route is not what it was." };
	return isSame ? found.resolved : { denial: changed };
}
