import { type Address, encodeFunctionData, erc20Abi, keccak256, maxUint256, toHex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { orderIdOf, relayOrder } from "#plugins/bridge/relay/order.ts";
import type { LIE_KINDS } from "./BridgeFault.ts";
import { solverAccount } from "./solverAccount.ts";

const THIEF: Address = "0x00000000000000000000000000000000bad0bad0";
const thiefAccount = privateKeyToAccount(keccak256(toHex("somebody else's solver")));

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
