import type { Tx } from "#core/db/Database.ts";
import type { BridgeContext } from "#plugins/bridge/BridgeContext.ts";
import { type Quoting, quoteBridge } from "#plugins/bridge/bridges/quoteBridge.ts";
import {
	type Resolved,
	readRouteRules,
	resolveRoute,
} from "#plugins/bridge/bridges/resolveRoute.ts";
import type { BridgeRoute } from "#plugins/bridge/quote/BridgeRoute.ts";
import { type Bridge, changeBridge, lockBridge } from "#plugins/bridge/sql/bridges.ts";
import { insertQuote } from "#plugins/bridge/sql/quotes.ts";
import type { Denial } from "#plugins/wallets/contract.ts";

/** A newer quote of a bridge, checked and not stored. */
export type Offered = Extract<Quoting, { kind: "good" }>;

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
	return await quoteBridge(context, resolved, { purpose: "trade", signal });
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

/** The stored route with both chains as they are published now; what is out now is refused. */
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

function bad(code: string, detail: string): Quoting {
	return { kind: "bad", denial: { code, detail } };
}
