import type { BridgeContext } from "#plugins/bridge/BridgeContext.ts";
import { quoteBridge } from "#plugins/bridge/bridges/quoteBridge.ts";
import { type Resolved, resolveRoute } from "#plugins/bridge/bridges/resolveRoute.ts";
import type { BridgeRoute } from "#plugins/bridge/quote/BridgeRoute.ts";
import { type Bridge, changeBridge, lockBridge, readBridge } from "#plugins/bridge/sql/bridges.ts";
import { insertQuote, readQuote, type StoredQuote } from "#plugins/bridge/sql/quotes.ts";
import type { Denial } from "#plugins/wallets/contract.ts";

export type Renewed = { kind: "good"; quote: StoredQuote } | { kind: "bad"; denial: Denial };

/**
 * Asks for a newer quote of the route that a bridge has, checks it, and stores it in place of the
 * one before, which stays readable. Once the deposit may have been sent nothing is replaced.
 */
export async function renewQuote(
	context: BridgeContext,
	bridgeId: string,
	signal: AbortSignal,
): Promise<Renewed> {
	const { core } = context;
	const bridge = await readBridge(core.db, bridgeId);
	if (!bridge?.route) return bad("quote_missing", "The bridge has no route.");
	const options = { purpose: "trade", signal } as const;
	const resolved = await publishedRoute(context, bridge, bridge.route, signal);
	if ("denial" in resolved) return { kind: "bad", denial: resolved.denial };
	const quoted = await quoteBridge(context, resolved, options);
	if (quoted.kind === "bad") return quoted;
	return await core.db.transaction(async (tx) => {
		const held = await lockBridge(tx, bridgeId);
		if (!held || held.depositedAt !== null || held.quoteSeq !== bridge.quoteSeq) {
			return bad("quote_expired", "The bridge's quote was replaced meanwhile.");
		}
		const at = new Date(core.clock.nowMs());
		const seq = await insertQuote(tx, { bridgeId, ...quoted, at });
		await changeBridge(tx, bridgeId, { quoteSeq: seq });
		const quote = await readQuote(tx, { bridgeId, seq });
		return quote ? { kind: "good", quote } : bad("quote_missing", "The quote is not there.");
	});
}

/** The stored route with both chains as they are published now; what is out now is refused. */
async function publishedRoute(
	context: BridgeContext,
	bridge: Bridge,
	route: BridgeRoute,
	signal: AbortSignal,
): Promise<Resolved | { denial: Denial }> {
	const { wallets, core } = context;
	const { profile } = await wallets.principalOf({
		...{ channel: "agent", authority: "session", profileId: bridge.profileId },
	});
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
	const found = await resolveRoute(context, { request, wallet, options });
	if (found.kind === "bad") return { denial: found.denial };
	const isSame = Bun.deepEquals(found.resolved.route, route);
	if (!isSame) core.log.warn("a bridge's route changed", { bridgeId: bridge.id });
	const changed = { code: "quote_mismatch", detail: "The route is not what it was." };
	return isSame ? found.resolved : { denial: changed };
}

function bad(code: string, detail: string): Renewed {
	return { kind: "bad", denial: { code, detail } };
}
