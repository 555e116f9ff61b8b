import { encodeFunctionData, type Hex } from "viem";
import { addresses } from "../../addresses.ts";
import { conduitKey } from "../../conduitKey.ts";
import { seaportAbi } from "../../order/seaportAbi.ts";
import type { Rpc } from "../../Rpc.ts";
import { revealSellers, rival, sendFrom } from "../../reveals/sellers.ts";
import type { Signatures } from "../book/signatures.ts";
import type { Market } from "../market/Market.ts";
import { endOrder } from "../market/settleOrders.ts";

/** What a seller does at the moment when a buyer requests a fulfilment. */
export const RACE_KINDS = ["seller_sells", "seller_cancels", "seller_withdraws"] as const;
export type RaceKind = (typeof RACE_KINDS)[number];

/**
 * Makes the buyer too late. `seller_sells`: another buyer fills it on chain. `seller_cancels`: its
 * seller cancels it on chain; for the world's traders, whose nonces its planner counts, it is
 * removed from the book instead. `seller_withdraws`: it leaves the book, and nothing happens on
 * chain.
 */
export async function raceBuyer(
	{ rpc, market, signatures }: { rpc: Rpc; market: Market; signatures: Signatures },
	{ kind, orderHash }: { kind: RaceKind; orderHash: Hex },
): Promise<void> {
	const order = market.orders.get(orderHash);
	if (order?.status !== "ACTIVE" || order.kind !== "listing") return;
	const { maker, parameters, totalRaw } = order;
	const to = addresses.seaport;
	if (kind === "seller_sells") {
		const signature = await signatures.of(order);
		if (!signature) return;
		const args = [{ parameters, signature }, conduitKey] as const;
		const data = encodeFunctionData({ abi: seaportAbi, functionName: "fulfillOrder", args });
		await sendFrom(rpc, rival, { to, data, value: totalRaw });
		return;
	}
	const isFree = revealSellers.some(({ address }) => address === maker);
	if (kind === "seller_withdraws" || !isFree) return endOrder(market, order, "CANCELLED");
	const { totalOriginalConsiderationItems: _, ...components } = parameters;
	const args = [[{ ...components, counter: 0n }]] as const;
	const data = encodeFunctionData({ abi: seaportAbi, functionName: "cancel", args });
	await sendFrom(rpc, maker, { to, data });
}
