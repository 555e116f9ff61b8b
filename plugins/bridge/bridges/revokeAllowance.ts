import { ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { Fault } from "#core/fault/Fault.ts";
import type { BridgeContext } from "#plugins/bridge/BridgeContext.ts";
import { bridgeFault } from "#plugins/bridge/faults.ts";
import { ADVANCE_TIMEOUT_MS } from "#plugins/bridge/limits.ts";
import type { Bridge } from "#plugins/bridge/sql/bridges.ts";
import type { StoredQuote } from "#plugins/bridge/sql/quotes.ts";
import { ALLOWANCE, type AllowanceRequest, type Principal } from "#plugins/wallets/contract.ts";

/** Whether an allowance may be left over: a token's bridge that ended without its deposit. */
export function mayBeLeftOver(
	{ status, route, depositedAt }: Bridge,
	quote: StoredQuote | null,
): boolean {
	const isToken = route !== null && route.origin.currency !== ZERO_ADDRESS;
	const isAllowed = isToken && quote !== null && quote.authorizations.length === 0;
	return isAllowed && status === "failure" && depositedAt === null;
}

/**
 * Takes back what the depository may still take of a token, once for each key, by an intent of its
 * own. Where nothing is left it is confirmed without being sent.
 */
export async function revokeAllowance(
	{ wallets, ending, core }: BridgeContext,
	given: {
		principal: Principal;
		bridge: Bridge;
		quote: StoredQuote | null;
		idempotencyKey: string | null;
		render(): Promise<object>;
	},
): Promise<Response> {
	const { principal, bridge, quote, idempotencyKey, render } = given;
	const { profile } = principal;
	const { route } = bridge;
	if (!route || !quote || !mayBeLeftOver(bridge, quote)) throw bridgeFault.bridgeState();
	const request: AllowanceRequest = {
		...{ token: route.origin.currency, spender: quote.depository, amountRaw: "0", for: "bridge" },
		shown: { summary: `Takes back the bridge's right to your ${route.origin.symbol}.` },
	};
	const wallet = profile.wallets.find(({ id }) => id === bridge.walletId) ?? null;
	return await wallets.once({
		...{ principal, idempotencyKey, route: `POST /v1/bridges/intents/${bridge.id}/revoke` },
		body: { bridgeId: bridge.id },
		intents: [
			{
				...{ kind: ALLOWANCE, profile, wallet, chainId: route.origin.chainId },
				...{ channel: "api", request },
			},
		],
		async answer(ids, recorded) {
			let urls = {};
			try {
				const signal = AbortSignal.any([ending, AbortSignal.timeout(ADVANCE_TIMEOUT_MS)]);
				const [intent] = await wallets.execution.advance(ids, signal, recorded);
				// Its owner is asked, by the same names as for the bridge itself.
				if (intent?.status === "confirmation_required") {
					urls = { confirmUrl: (await wallets.link(intent, "confirm")).url };
				}
				if (intent?.status === "signature_required") {
					urls = { signUrl: (await wallets.link(intent, "sign")).url };
				}
			} catch (error) {
				if (!(error instanceof Fault)) throw error;
				core.log.warn("an allowance could not be taken back now", { error });
			}
			return { status: 202, body: { ...(await render()), ...urls } };
		},
	});
}
