// Plans the signature that lets the provider take a token in place of a deposit.

import { domainSeparator, encodeFunctionData, parseAbi } from "viem";
import { z } from "zod";
import { ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { anyCaseWordSchema } from "#core/chain/hexSchemas.ts";
import { denied } from "#core/fault.ts";
import { formatAmount } from "#core/money.ts";
import { authorizeSteps, type BridgeContext } from "#plugins/bridge/bridgeConfig.ts";
import {
	boundsDenial,
	depositPlan,
	depositRequest,
	keepsDeposit,
	quoteFor,
	recipientDenial,
	refusalOf,
} from "#plugins/bridge/bridges/depositKind.ts";
import { pinnedDenial } from "#plugins/bridge/bridges/pinContracts.ts";
import {
	type Authorization,
	contractOf,
	signableOf,
} from "#plugins/bridge/quote/authorizations.ts";
import type { BridgeRoute } from "#plugins/bridge/quote/bridgeRoute.ts";
import { readBridge } from "#plugins/bridge/sql/bridges.ts";
import { readHandOvers } from "#plugins/bridge/sql/quotes.ts";
import type {
	Denial,
	Intent,
	IntentKind,
	Outbound,
	Plan,
	Preparation,
	Wallet,
} from "#plugins/wallets/contract.ts";

export const BRIDGE_AUTHORIZE = "bridge-authorize";

/** The request of a signature in place of a deposit, within the same bounds. */
const authorizeRequest = depositRequest.extend({
	/** Its place among a bridge's signatures: the first lets the money be taken. */
	step: z.int().min(0),
});
export type AuthorizeRequest = z.output<typeof authorizeRequest>;

type Preparing = {
	intent: Intent<AuthorizeRequest>;
	wallet: Wallet;
	outbound: Outbound;
	signal: AbortSignal;
};

const NOTHING: Plan["spend"] = { currency: ZERO_ADDRESS, raw: 0n, decimals: 18, symbol: "" };

const abi = parseAbi([
	"function balanceOf(address owner) view returns (uint256)",
	"function DOMAIN_SEPARATOR() view returns (bytes32)",
	"function authorizationState(address authorizer, bytes32 nonce) view returns (bool)",
]);

/**
 * Signs in place of a deposit. What is signed is built from the stored, checked quote; it counts
 * against limits when its signature is stored, and is handed over by `handOver` and nobody else.
 */
export function authorizeKind(context: BridgeContext): IntentKind<AuthorizeRequest> {
	return {
		name: BRIDGE_AUTHORIZE,
		plugin: "bridge",
		request: authorizeRequest,
		steps: authorizeSteps,
		prepare: (intent, { wallet, outbound, signal }) =>
			prepare(context, { intent, wallet, outbound, signal }),
		keeps: keepsDeposit,
		deny: recipientDenial,
		// It is no transaction: there is no receipt.
		settle: async () => null,
	};
}

async function prepare(context: BridgeContext, preparing: Preparing): Promise<Preparation> {
	const { intent, wallet } = preparing;
	const { bridgeId, step } = intent.request;
	const { db } = context.core;
	const [bridge, rows] = await Promise.all([readBridge(db, bridgeId), readHandOvers(db, bridgeId)]);
	const row = rows.find((one) => one.step === step);
	if (!bridge?.route || row?.intentId !== intent.id) {
		return denied("bridge_missing", "The bridge of this signature is not there.");
	}
	const refusal = refusalOf(context, bridge, { wallet, chainId: intent.chainId });
	if (refusal) return { kind: "denied", denial: refusal };
	const { route } = bridge;
	// Behind a signature that was handed over, the order stays what it is.
	const isFirst = step === 0;
	const needed = isFirst ? preparing : { ...preparing, intent: { afterId: intent.id } };
	const found = await quoteFor(context, bridge, needed);
	if ("code" in found) return { kind: "denied", denial: found };
	const { quote, kept } = found;
	const beyond = boundsDenial(intent.request, { route, quote });
	if (beyond) return { kind: "denied", denial: beyond };
	const authorization = row.asked ?? quote.authorizations[step];
	if (!authorization) return denied("quote_mismatch", "The bridge's newer quote asks otherwise.");
	const flaw =
		(await spenderDenial(context, preparing, authorization)) ??
		(await tokenDenial(context, preparing, { route, authorization }));
	if (flaw) return { kind: "denied", denial: flaw };
	const to = contractOf(authorization);
	const call = { chainId: route.origin.chainId, to, valueRaw: 0n, data: "0x" } as const;
	const plan = depositPlan(context, { route, quote, step: call });
	const signs = signableOf(authorization);
	return { kind: "plan", plan: planOf({ ...plan, signs }, authorization), ...kept };
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
	{ readers }: BridgeContext,
	{ outbound, signal }: Preparing,
	{ route, authorization }: { route: BridgeRoute; authorization: Authorization },
): Promise<Denial | null> {
	if (authorization.kind !== "payment") return null;
	const { chainId, token, name, version, amountRaw } = authorization;
	const read = readers.own(chainId);
	const ask = (data: string) => read?.("eth_call", [{ to: token, data }, "latest"], signal);
	let told: { held: bigint; domain: string; used: bigint };
	try {
		told = await outbound("bridge.token", async () => {
			const used = [route.user, authorization.nonce] as const;
			const [held, domain, state] = await Promise.all([
				ask(encodeFunctionData({ abi, functionName: "balanceOf", args: [route.user] })),
				ask(encodeFunctionData({ abi, functionName: "DOMAIN_SEPARATOR" })),
				ask(encodeFunctionData({ abi, functionName: "authorizationState", args: used })),
			]);
			return {
				...{ held: BigInt(anyCaseWordSchema.parse(held)), domain: anyCaseWordSchema.parse(domain) },
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
	if (told.held >= amountRaw) return null;
	const units = amountRaw - told.held;
	const missing = `${formatAmount({ units, currency: route.origin })} ${route.origin.symbol}`;
	const detail = `The wallet holds less than would be sent: ${missing} are missing.`;
	return { code: "balance_insufficient", detail };
}
