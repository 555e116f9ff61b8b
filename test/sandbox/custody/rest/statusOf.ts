import { z } from "zod";
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
	office: Pick<CustodyOffice, "rpc">,
	transaction: StoredTransaction,
): Promise<string> {
	const { status, hash, sender, nonce, broadcasts } = transaction;
	if (broadcasts === 0) return status;
	const mined = await outcomeOf(office, hash);
	if (mined !== null || status !== "broadcasted") return mined ?? status;
	const next = Number(await office.rpc.call("eth_getTransactionCount", [sender, "latest"]));
	if (next <= nonce) return status;
	return (await outcomeOf(office, hash)) ?? "replaced";
}

/** What its receipt says; null while there is none. */
async function outcomeOf(office: Pick<CustodyOffice, "rpc">, hash: string): Promise<string | null> {
	const receipt = Receipt.parse(await office.rpc.call("eth_getTransactionReceipt", [hash]));
	if (!receipt) return null;
	return receipt.status === "0x1" ? "confirmed" : "execution_reverted";
}
