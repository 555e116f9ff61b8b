import { z } from "zod";
import type { StoredTransaction } from "../createCustodyStore.ts";
import type { CustodyOffice } from "./CustodyOffice.ts";

const Receipt = z.object({ status: z.string() }).nullable();

/** A transaction's status as the provider sees it: of what it broadcast, the chain knows. */
export async function statusOf(
	office: CustodyOffice,
	transaction: StoredTransaction,
): Promise<string> {
	const { status, hash, sender, nonce, broadcasts } = transaction;
	if (broadcasts === 0) return status;
	const receipt = Receipt.parse(await office.rpc.call("eth_getTransactionReceipt", [hash]));
	if (receipt) return receipt.status === "0x1" ? "confirmed" : "execution_reverted";
	if (status !== "broadcasted") return status;
	const next = Number(await office.rpc.call("eth_getTransactionCount", [sender, "latest"]));
	return next > nonce ? "replaced" : status;
}
