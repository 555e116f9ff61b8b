// Lists the faults and lies of the bridge provider that a test may order.

import { type Address, encodeFunctionData, erc20Abi, keccak256, maxUint256, toHex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { z } from "zod";
import { orderIdOf, relayOrder } from "#plugins/bridge/relay/order.ts";
import { solverAccount } from "./BridgeWorld.ts";

export type BridgeFaults = ReturnType<typeof createBridgeFaults>;

/** How answers over HTTP go wrong. */
const HTTP_KINDS = ["status", "silence", "slow", "html", "truncated", "huge"] as const;
/** What a quote lies about: each would cost its owner money. */
export const LIE_KINDS = [
	"other_party",
	"other_chain",
	"other_depository",
	"other_recipient",
	"other_refund",
	"other_order",
	"more_value",
	"less_minimum",
	"past_deadline",
	"unlimited_allowance",
	"signature_step",
	"swap_step",
	"own_solver",
] as const;
/** What it lies about where it asks for a signature in place of a deposit. */
export const PERMIT_LIE_KINDS = [
	"permit_spender",
	"permit_amount",
	"permit_owner",
	"permit_token",
	"permit_chain",
	"permit_forever",
	"permit_ended",
	"permit_for_anybody",
	"permit_request",
	"permit_endpoint",
	"permit_twice",
	"permit_recipient",
	"permit_order",
] as const;
/** What it asks for once it has a signature. */
const HAND_OVER_KINDS = ["appends_order", "appends_text", "appends_deposit"] as const;
/** What becomes of a deposit instead of a fill. */
export const OUTCOME_KINDS = [
	"fill_late",
	"fill_never",
	"fill_short",
	"fill_elsewhere",
	"refund",
	"refund_short",
	"refund_elsewhere",
	"fail_then_refund",
	"fail_then_fill",
	"fail",
	"claims_fill",
	"claims_refund",
	"claims_last_fill",
	"odd_status",
] as const;
const STATUS_KINDS = ["unseen"] as const;
const WEBHOOK_KINDS = ["webhook_never", "webhook_twice", "webhook_forged", "webhook_old"] as const;

const KINDS = [
	...HTTP_KINDS,
	...LIE_KINDS,
	...PERMIT_LIE_KINDS,
	...HAND_OVER_KINDS,
	...OUTCOME_KINDS,
	...STATUS_KINDS,
	...WEBHOOK_KINDS,
] as const;

/** One order to misbehave, as POST /_sandbox/faults takes it. */
export const BridgeFault = z.object({
	kind: z.enum(KINDS),
	/** Of HTTP kinds: which calls, as a pattern over `METHOD /path`; all without it. */
	path: z.string().max(200).optional(),
	/** How often; for ever without it. */
	times: z.int().min(1).optional(),
	/** Of `status` (500) and `html` (200). */
	status: z.int().min(200).max(599).optional(),
	/** Of `status`: the provider's code beside its sentence. */
	code: z.string().max(64).optional(),
	/** Of `slow`, and of what comes late. */
	delayMs: z.int().min(0).max(600_000).optional(),
	/** Of `odd_status`: what is said in place of the truth. */
	says: z.string().max(64).optional(),
});
export type BridgeFault = z.output<typeof BridgeFault>;

const FAULTS_MAX = 1_000;
const has = (kinds: readonly string[], { kind }: BridgeFault) => kinds.includes(kind);

const THIEF: Address = "0x00000000000000000000000000000000bad0bad0";
const thiefAccount = privateKeyToAccount(keccak256(toHex("somebody else's solver")));

/** What was ordered to go wrong; the first that fits is used, and counted as used. */
export function createBridgeFaults() {
	let faults: { fault: BridgeFault; left: number }[] = [];
	function take(fits: (fault: BridgeFault) => boolean): BridgeFault | null {
		const entry = faults.find(({ fault }) => fits(fault));
		if (!entry) return null;
		entry.left -= 1;
		if (entry.left <= 0) faults = faults.filter((other) => other !== entry);
		return entry.fault;
	}
	return {
		add(order: z.input<typeof BridgeFault>) {
			const fault = BridgeFault.parse(order);
			if (faults.length >= FAULTS_MAX) return;
			faults.push({ fault, left: fault.times ?? Number.POSITIVE_INFINITY });
		},
		clear() {
			faults = [];
		},
		all: () => faults.map(({ fault }) => fault),
		ofCall: (call: string) =>
			take((one) => has(HTTP_KINDS, one) && new RegExp(one.path ?? "").test(call)),
		ofQuote: () => take((one) => has(LIE_KINDS, one)),
		ofPermit: () => take((one) => has(PERMIT_LIE_KINDS, one)),
		ofHandOver: () => take((one) => has(HAND_OVER_KINDS, one)),
		ofDeposit: () => take((one) => has(OUTCOME_KINDS, one)),
		ofStatus: () => take((one) => has(STATUS_KINDS, one)),
		ofWebhook: () => take((one) => has(WEBHOOK_KINDS, one)),
	};
}

/** Makes an honest quote one that would cost its owner money. Changes what it is given. */
export async function lieAbout(quote: any, lie: (typeof LIE_KINDS)[number]): Promise<void> {
	const v2 = quote.protocol.v2;
	const order = v2.orderData;
	const deposit = quote.steps.at(-1);
	const call = deposit.items[0].data;
	switch (lie) {
		case "other_party":
			call.to = THIEF;
			return;
		case "other_chain":
			call.chainId = 1;
			return;
		case "other_depository":
			// Everywhere, so that only what the provider publishes says no.
			v2.paymentDetails.depository = THIEF;
			call.to = THIEF;
			return;
		case "other_recipient":
			order.output.payments[0].recipient = THIEF;
			return;
		case "other_refund":
			order.inputs[0].refunds[0].recipient = THIEF;
			return resign(quote);
		case "other_order":
			call.data = call.data.slice(0, -64) + "ab".repeat(32);
			return;
		case "more_value":
			call.value = String(BigInt(call.value) + 1n);
			return;
		case "less_minimum":
			order.output.payments[0].minimumAmount = "1";
			return resign(quote);
		case "past_deadline":
			order.output.deadline = 1_000_000_000;
			return resign(quote);
		case "unlimited_allowance":
			approveAll(quote);
			return;
		case "signature_step":
			deposit.kind = "signature";
			deposit.id = "authorize1";
			return;
		case "swap_step":
			deposit.id = "swap";
			return;
		case "own_solver":
			order.solver = thiefAccount.address.toLowerCase();
			return resign(quote, thiefAccount);
	}
}

/** Puts id, calldata and, where somebody signs, the signature right again: it fits together. */
async function resign(quote: any, by = solverAccount): Promise<void> {
	const v2 = quote.protocol.v2;
	v2.orderId = orderIdOf(relayOrder.parse(v2.orderData));
	const deposit = quote.steps.at(-1).items[0].data;
	deposit.data = deposit.data.slice(0, -64) + v2.orderId.slice(2);
	v2.orderSignature = await by.signMessage({ message: { raw: v2.orderId } });
	if (v2.orderData.output.payments[0].minimumAmount === "1") {
		quote.details.currencyOut.minimumAmount = "1";
	}
}

function approveAll(quote: any): void {
	const [approve, deposit] = quote.steps;
	if (!deposit) return;
	const to = quote.protocol.v2.paymentDetails.depository;
	const args = [to, maxUint256] as const;
	approve.items[0].data.data = encodeFunctionData({ abi: erc20Abi, functionName: "approve", args });
}
