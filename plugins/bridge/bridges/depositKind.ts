// Plans and settles the deposit of a bridge, and denies what goes beyond its bounds.

import { encodeFunctionData, erc20Abi } from "viem";
import type { Address } from "#core/chain/Hex.ts";
import { anyCaseWordSchema } from "#core/chain/hexSchemas.ts";
import { denied } from "#core/fault.ts";
import {
	type BridgeContext,
	type ChainReader,
	depositSteps,
} from "#plugins/bridge/bridgeConfig.ts";
import { pinnedDenial } from "#plugins/bridge/bridges/pinContracts.ts";
import {
	agreedQuote,
	BRIDGE_DEPOSIT,
	balanceDenial,
	type DepositRequest,
	depositPlan,
	depositRequest,
	neededFor,
	type Preparing,
	sharedKind,
} from "#plugins/bridge/bridges/planDeposit.ts";
import { followSecond, isDepositIn } from "#plugins/bridge/bridges/secondDeposit.ts";
import type { BridgeRoute } from "#plugins/bridge/model.ts";
import type { BridgeStep } from "#plugins/bridge/quote/authorizations.ts";
import { type Bridge, readBridge } from "#plugins/bridge/sql/bridges.ts";
import {
	ALLOWANCE,
	type AllowanceRequest,
	type Denial,
	type Intent,
	type IntentKind,
	type Preparation,
	type Receipt,
} from "#plugins/wallets/contract.ts";

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
		...sharedKind,
		// What is deposited for an order that has ended only comes back.
		endsWithPlan: true,
		settle: (intent, receipt, { signal }) => settle(context, { intent, receipt, signal }),
	};
}

async function prepare(context: BridgeContext, preparing: Preparing): Promise<Preparation> {
	const { intent, outbound, signal } = preparing;
	const read = await readBridge(context.core.db, intent.request.bridgeId);
	const bridge = read?.intentId === intent.id ? read : null;
	const agreed = await agreedQuote(context, preparing, { bridge, mayRequote: true });
	if (agreed.kind === "denied") return agreed;
	const { route, quote, kept } = agreed;
	const step = quote.steps.at(-1);
	if (step?.kind !== "deposit") return denied("quote_missing", "The bridge has no deposit.");
	const changed = await depositoryDenial(context, preparing, { bridge, step });
	if (changed) return { kind: "denied", denial: changed };
	const plan = depositPlan(context, { route, quote, step });
	const isFree = quote.steps.every(({ kind }) => kind !== "approve");
	const reader = context.readers.own(route.origin.chainId);
	const needed = neededFor(context, { route, step });
	const [short, allowed] = await outbound("bridge.allowance", () =>
		Promise.all([
			balanceDenial(reader, { owner: route.user, needed, signal }),
			isFree ? route.amountRaw : allowanceOf(reader, { route, spender: step.to, signal }),
		]),
	);
	if (short) return { kind: "denied", denial: short };
	if (allowed === null) return denied("chain_unavailable", "The allowance cannot be read now.");
	const asks = quote.told.isLossUnknown;
	if (allowed >= route.amountRaw) return { kind: "plan", plan, asks, ...kept };
	const request: AllowanceRequest = {
		...{ token: route.origin.currency, spender: step.to, amountRaw: String(route.amountRaw) },
		...{ for: "bridge", shown: plan.shown },
	};
	const { spend, feeRaw } = plan;
	const fee = feeRaw === undefined ? {} : { feeRaw };
	return { kind: "first", intent: { kind: ALLOWANCE, request }, spend, ...fee, ...kept };
}

/**
 * Returns why nothing is deposited into the contract of a step now: it is not as it was pinned;
 * null: it is. Direct bridges' contracts are those that an operator named.
 */
async function depositoryDenial(
	context: BridgeContext,
	{ outbound, signal }: Preparing,
	{ bridge, step }: { bridge: Bridge | null; step: BridgeStep },
): Promise<Denial | null> {
	if (bridge?.request.mode === "direct") return null;
	const { chainId, to: address } = step;
	return await outbound("bridge.allowance", () =>
		pinnedDenial(context, { chainId, role: "depository", address, signal }),
	);
}

/** Reads how much the depository may take of the token; null where no node says. */
async function allowanceOf(
	read: ChainReader | null,
	{ route, spender, signal }: { route: BridgeRoute; spender: Address; signal: AbortSignal },
): Promise<bigint | null> {
	const args = [route.user, spender] as const;
	const data = encodeFunctionData({ abi: erc20Abi, functionName: "allowance", args });
	try {
		const call = { to: route.origin.currency, data };
		return wordAsNumber.parse(await read?.("eth_call", [call, "latest"], signal));
	} catch {
		return null;
	}
}

/**
 * Returns null if the depository took the money for the plan's order, else a denial. What an
 * owner's own wallet deposits by a question that was called off is followed as a bridge of its own.
 */
async function settle(
	context: BridgeContext,
	given: { intent: Intent<DepositRequest>; receipt: Receipt; signal: AbortSignal },
): Promise<Denial | null> {
	const { intent, receipt, signal } = given;
	const { plan, request, status } = intent;
	const orderId = String(plan?.shown["orderId"]);
	const bridge = await readBridge(context.core.db, request.bridgeId);
	if (bridge && plan && isDepositIn(receipt.logs, { bridge, orderId, to: plan.to })) {
		if (bridge.intentId === intent.id) return null;
		const { from, to, valueRaw: value, data: input } = plan;
		const seen = { hash: receipt.transactionHash, from, to, value, input };
		await followSecond(context, { bridge, deposit: { status }, seen, signal });
		return null;
	}
	const detail =
		bridge?.request.mode === "direct"
			? "The token's contract sent no message for it."
			: "The depository did not take it for this order.";
	return { code: "deposit_missing", detail };
}
