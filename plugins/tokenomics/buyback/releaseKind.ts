import { decodeEventLog, decodeFunctionResult, encodeFunctionData } from "viem";
import { type Address, type Hex, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { decoded, viewCall } from "#plugins/tokenomics/buyback/askViews.ts";
import type { BuybackDeps } from "#plugins/tokenomics/buyback/BuybackDeps.ts";
import { type ReleaseRequest, releaseRequest } from "#plugins/tokenomics/buyback/buybackRequest.ts";
import { releaseSteps } from "#plugins/tokenomics/buyback/buybackSteps.ts";
import { BURN_BUCKET } from "#plugins/tokenomics/buyback/readKeeper.ts";
import { type RefusalCode, refusal } from "#plugins/tokenomics/buyback/refusals.ts";
import { revenueRouterAbi } from "#plugins/tokenomics/contracts/abi.ts";
import type { IntentKind, Plan, Preparation, Receipt } from "#plugins/wallets/contract.ts";

export const RELEASE = "buyback-release";

const PLAN_LIFETIME_MS = 30_000;
const abi = revenueRouterAbi;

/**
 * Has the router pay what it owes for burning to the keeper, as the step before a purchase. Anybody
 * may do that: where somebody was faster there is nothing left to do. It spends nothing.
 */
export function releaseKind(
	deps: Pick<BuybackDeps, "clock" | "rpc" | "chain">,
): IntentKind<ReleaseRequest> {
	return {
		name: RELEASE,
		plugin: "tokenomics",
		request: releaseRequest,
		steps: releaseSteps,
		async prepare({ request, channel }, { wallet, outbound, signal }): Promise<Preparation> {
			if (channel !== "job") return denied("no_wallet");
			const { router, currency } = request;
			const args = [BURN_BUCKET, currency] as const;
			const [paid, owed] = await outbound("buyback.owed", () =>
				deps.rpc.settle(
					[
						encodeFunctionData({ abi, functionName: "payeeOf", args: [BURN_BUCKET] }),
						encodeFunctionData({ abi, functionName: "owed", args }),
					].map((data) => viewCall(router, data)),
					{ signal },
				),
			);
			const payee = decoded(paid, (data) =>
				decodeFunctionResult({ abi, functionName: "payeeOf", data }),
			);
			const raw = decoded(owed, (data) =>
				decodeFunctionResult({ abi, functionName: "owed", data }),
			);
			if (payee === null || raw === null) return denied("contracts_unreadable");
			if (payee.toLowerCase() !== wallet.address) return denied("payee_differs");
			if (raw === 0n) return { kind: "done" };
			const plan: Plan = {
				...{ chainId: deps.chain.id, from: wallet.address, to: router, valueRaw: 0n },
				data: encodeFunctionData({ abi, functionName: "release", args }),
				spend: NOTHING,
				recipient: null,
				shown: { action: RELEASE, summary: "Has the router pay the burn's share of revenue." },
				expiresAtMs: deps.clock.nowMs() + PLAN_LIFETIME_MS,
			};
			return { kind: "plan", plan };
		},
		keeps: (approved, fresh) => approved.to === fresh.to && approved.data === fresh.data,
		deny: () => null,
		async settle({ request }, { logs }, { wallet }) {
			const isPaid = logs.some((log) => isPayment(log, { ...request, payee: wallet.address }));
			if (isPaid) return null;
			return { code: "release_unpaid", detail: "The router took it and paid nothing." };
		},
	};
}

const NOTHING: Plan["spend"] = { currency: ZERO_ADDRESS, raw: 0n, decimals: 18, symbol: "" };

function isPayment(
	{ address, topics, data }: Receipt["logs"][number],
	wanted: ReleaseRequest & { payee: Address },
): boolean {
	if (address !== wanted.router) return false;
	try {
		const { args } = decodeEventLog({
			...{ abi, eventName: "Paid" as const, data },
			topics: topics as [Hex, ...Hex[]],
		});
		return (
			args.bucket === BURN_BUCKET &&
			args.currency.toLowerCase() === wanted.currency &&
			args.payee.toLowerCase() === wanted.payee &&
			args.amount > 0n
		);
	} catch {
		return false;
	}
}

function denied(code: RefusalCode): Preparation {
	return { kind: "denied", denial: refusal(code) };
}
