// Declares a buyback's request, and plans the step that has the router pay the keeper.

import { decodeEventLog, decodeFunctionResult, encodeFunctionData } from "viem";
import { z } from "zod";
import { type Address, type Hex, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import { addressSchema } from "#core/chain/hexSchemas.ts";
import { type BuybackDeps, denied } from "#plugins/tokenomics/buyback/buybackConfig.ts";
import { BURN_BUCKET } from "#plugins/tokenomics/buyback/readKeeper.ts";
import { decoded, revenueRouterAbi, viewCall } from "#plugins/tokenomics/contracts/abi.ts";
import type { IntentKind, Plan, Preparation, Receipt } from "#plugins/wallets/contract.ts";

const units = z.string().regex(/^[1-9]\d{0,77}$/);

/**
 * Parses what a run is asked to do. What it buys is decided when it is planned, by the bounds then.
 */
export const buybackRequest = z.strictObject({
	/** The ten minutes that it is the one run of. */
	slot: z.int().min(0),
	token: addressSchema,
	router: addressSchema,
	burner: addressSchema,
	/** The zero address is the chain's own coin. */
	paidWith: addressSchema,
	symbol: z.string().min(1).max(16),
	decimals: z.int().min(0).max(36),
	/** The amount that is spent, in base units: this, and never more. */
	spendRaw: units,
	/**
	 * The sum that the router must have paid for burning before the run: all earlier spending, and
	 * this one's. So an operator's gas money is never burned.
	 */
	releasedRaw: units,
});
export type BuybackRequest = z.output<typeof buybackRequest>;

/** Parses a request that the router pay the burn's share of a currency to the keeper. */
const releaseRequest = z.strictObject({ router: addressSchema, currency: addressSchema });
type ReleaseRequest = z.output<typeof releaseRequest>;

/** Names the steps of a turn of the job that call out, or write. */
export const turnSteps = ["buyback.turn", "commit.buyback", "commit.buyback_look"] as const;
export type TurnStep = (typeof turnSteps)[number];

/** Outbound calls of the purchase. */
export const purchaseSteps = ["buyback.keeper", "buyback.market", "buyback.supply"] as const;

/** Outbound calls of the step before it. */
export const releaseSteps = ["buyback.owed"] as const;

export const RELEASE = "buyback-release";

const PLAN_LIFETIME_MS = 30_000;
const abi = revenueRouterAbi;

const NOTHING: Plan["spend"] = { currency: ZERO_ADDRESS, raw: 0n, decimals: 18, symbol: "" };

/**
 * Asks the router to pay the burn's share to the keeper, as the step before a purchase. Any account
 * may do that: where it was done already there is nothing left to do. It spends nothing.
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
