// Plans the signature that lets the provider take a token in place of a deposit.

import { domainSeparator, encodeFunctionData, parseAbi } from "viem";
import { z } from "zod";
import { ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { anyCaseWordSchema } from "#core/chain/hexSchemas.ts";
import { denied } from "#core/fault.ts";
import { authorizeSteps, type BridgeContext } from "#plugins/bridge/bridgeConfig.ts";
import { pinnedDenial } from "#plugins/bridge/bridges/pinContracts.ts";
import {
	agreedQuote,
	balanceDenial,
	depositPlan,
	depositRequest,
	neededFor,
	type Preparing as PreparingOf,
	sharedKind,
} from "#plugins/bridge/bridges/planDeposit.ts";
import type { BridgeRoute } from "#plugins/bridge/model.ts";
import {
	type Authorization,
	contractOf,
	signableOf,
} from "#plugins/bridge/quote/authorizations.ts";
import { readBridge } from "#plugins/bridge/sql/bridges.ts";
import { readHandOvers } from "#plugins/bridge/sql/quotes.ts";
import type { Denial, IntentKind, Plan, Preparation } from "#plugins/wallets/contract.ts";

export const BRIDGE_AUTHORIZE = "bridge-authorize";

/** The request of a signature in place of a deposit, within the same bounds. */
const authorizeRequest = depositRequest.extend({
	/** Says which of a bridge's signatures this is: the first lets the money be taken. */
	step: z.int().min(0),
});
export type AuthorizeRequest = z.output<typeof authorizeRequest>;

type Preparing = PreparingOf<AuthorizeRequest>;

const NOTHING: Plan["spend"] = { currency: ZERO_ADDRESS, raw: 0n, decimals: 18, symbol: "" };

const abi = parseAbi([
	"function DOMAIN_SEPARATOR() view returns (bytes32)",
	"function authorizationState(address authorizer, bytes32 nonce) view returns (bool)",
]);

/**
 * Signs a message in place of sending a deposit. The message is built from the stored, checked
 * quote; it counts against limits when its signature is stored, and only `handOver` hands it over.
 */
export function authorizeKind(context: BridgeContext): IntentKind<AuthorizeRequest> {
	return {
		name: BRIDGE_AUTHORIZE,
		plugin: "bridge",
		request: authorizeRequest,
		steps: authorizeSteps,
		prepare: (intent, { wallet, outbound, signal }) =>
			prepare(context, { intent, wallet, outbound, signal }),
		...sharedKind,
		// It is no transaction: there is no receipt.
		settle: async () => null,
	};
}

async function prepare(context: BridgeContext, preparing: Preparing): Promise<Preparation> {
	const { intent } = preparing;
	const { bridgeId, step } = intent.request;
	const { db } = context.core;
	const [read, rows] = await Promise.all([readBridge(db, bridgeId), readHandOvers(db, bridgeId)]);
	const row = rows.find((one) => one.step === step);
	const bridge = row?.intentId === intent.id ? read : null;
	// Behind a signature that was handed over, the order stays what it is.
	const agreed = await agreedQuote(context, preparing, { bridge, mayRequote: step === 0 });
	if (agreed.kind === "denied") return agreed;
	const { route, quote, kept } = agreed;
	const authorization = row?.asked ?? quote.authorizations[step];
	if (!authorization) return denied("quote_mismatch", "The bridge's newer quote asks otherwise.");
	const flaw =
		(await spenderDenial(context, preparing, authorization)) ??
		(await tokenDenial(context, preparing, { route, authorization }));
	if (flaw) return { kind: "denied", denial: flaw };
	const to = contractOf(authorization);
	const call = { chainId: route.origin.chainId, to, valueRaw: 0n, data: "0x" } as const;
	const plan = depositPlan(context, { route, quote, step: call });
	const signs = signableOf(authorization);
	const asks = quote.told.isLossUnknown;
	return { kind: "plan", plan: planOf({ ...plan, signs }, authorization), asks, ...kept };
}

/**
 * Returns the plan; the order's signature takes nothing by itself, so it spends and pays nothing.
 */
function planOf(plan: Plan, { kind }: Authorization): Plan {
	const shown = { ...plan.shown, action: BRIDGE_AUTHORIZE };
	if (kind === "payment") return { ...plan, shown };
	return { ...plan, shown, spend: NOTHING, recipient: null };
}

/** Returns why nothing is signed for the contract that would take the money; null: it is pinned. */
async function spenderDenial(
	context: BridgeContext,
	{ outbound, signal }: Preparing,
	authorization: Authorization,
): Promise<Denial | null> {
	if (authorization.kind !== "payment") return null;
	const { chainId, spender: address } = authorization;
	return await outbound("bridge.token", () =>
		pinnedDenial(context, { chainId, role: "proxy", address, signal }),
	);
}

/**
 * Returns why a signature would be of no use: there is less of the token, its nonce is used, or the
 * token knows itself by another domain than the one that would be signed for. Null: it would be.
 */
async function tokenDenial(
	context: BridgeContext,
	{ outbound, signal }: Preparing,
	{ route, authorization }: { route: BridgeRoute; authorization: Authorization },
): Promise<Denial | null> {
	if (authorization.kind !== "payment") return null;
	const { chainId, token, name, version } = authorization;
	const read = context.readers.own(chainId);
	const ask = (data: string) => read?.("eth_call", [{ to: token, data }, "latest"], signal);
	const needed = neededFor(context, { route, step: { valueRaw: 0n } });
	let told: { short: Denial | null; domain: string; used: bigint };
	try {
		told = await outbound("bridge.token", async () => {
			const used = [route.user, authorization.nonce] as const;
			const [short, domain, state] = await Promise.all([
				balanceDenial(read, { owner: route.user, needed, signal }),
				ask(encodeFunctionData({ abi, functionName: "DOMAIN_SEPARATOR" })),
				ask(encodeFunctionData({ abi, functionName: "authorizationState", args: used })),
			]);
			return {
				...{ short, domain: anyCaseWordSchema.parse(domain) },
				used: BigInt(anyCaseWordSchema.parse(state)),
			};
		});
	} catch {
		return { code: "chain_unavailable", detail: "The token cannot be read now." };
	}
	const domain = { name, version, chainId, verifyingContract: token };
	if (told.domain !== domainSeparator({ domain }) || told.used !== 0n) {
		return { code: "quote_mismatch", detail: "The token does not take what would be signed." };
	}
	return told.short;
}
