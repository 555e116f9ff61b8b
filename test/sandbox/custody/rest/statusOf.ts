import { z } from "zod";
import type { Rpc } from "../../Rpc.ts";
import type { StoredTransaction } from "../createCustodyStore.ts";
import type { CustodyOffice } from "./CustodyOffice.ts";

const Receipt = z.object({ status: z.string() }).nullable();

/**
 * Returns a transaction's status as the provider sees it: after a broadcast the chain decides.
 *
 * A block may come between two calls. So a transaction without a receipt whose nonce is used is
 * read once more: by then the receipt from that block exists.
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

/** Returns the status from its receipt; null while there is none. */
async function outcomeOf(rpc: Rpc, hash: string): Promise<string | null> {
	const receipt = Receipt.parse(await rpc.call("eth_getTransactionReceipt", [hash]));
	if (!receipt) return null;
	return receipt.status === "0x1" ? "confirmed" : "execution_reverted";
}
