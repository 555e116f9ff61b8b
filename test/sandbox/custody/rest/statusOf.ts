import { z } from "zod";
import type { Rpc } from "../../Rpc.ts";
import type { StoredTransaction } from "../createCustodyStore.ts";
import type { CustodyOffice } from "./CustodyOffice.ts";

const Receipt = z.object({ status: z.string() }).nullable();

/**
 * A transaction's status as the provider sees it: of what it broadcast, the chain knows.
 *
 * A block may come between two questions. So one without a receipt whose nonce is used is asked for
 * once more: the receipt that this block brought is there by then.
 */
export async function statusOf(
	office: Pick<CustodyOffice, "chainOf">,
	transaction: StoredTransaction,
): Promise<string> {
	const { status, hash, sender, nonce, broadcasts } = transaction;
	const rpc = office.chainOf(transaction.caip2)?.rpc;
	if (broadcasts === 0 || !rpc) return status;
	const mined = await outcomeOf(rpc, hash);
	if (mined !== null || status !== "broadcasted") return mined ?? status;
	const next = Number(await rpc.call("eth_getTransactionCount", [sender, "latest"]));
	if (next <= nonce) return status;
	return (await outcomeOf(rpc, hash)) ?? "replaced";
}

/** What its receipt says; null while there is none. */
async function outcomeOf(rpc: Rpc, hash: string): Promise<string | null> {
	const receipt = Receipt.parse(await rpc.call("eth_getTransactionReceipt", [hash]));
	if (!receipt) return null;
	return receipt.status === "0x1" ? "confirmed" : "execution_reverted";
}
