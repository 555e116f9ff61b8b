import { z } from "zod";
import type { StoredTransaction } from "../createCustodyStore.ts";
import type { CustodyOffice } from "./CustodyOffice.ts";

const Receipt = z.object({ status: z.string() }).nullable();

/** A transaction as the provider tells it. Its status is read off the chain: forks change it. */
export async function renderTransaction(
	office: CustodyOffice,
	transaction: StoredTransaction,
): Promise<unknown> {
	const { id, caip2, hash, walletId, referenceId, createdAtMs, broadcasts } = transaction;
	return {
		id,
		caip2,
		created_at: createdAtMs,
		status: await statusOf(office, transaction),
		transaction_hash: broadcasts > 0 ? hash : null,
		wallet_id: walletId,
		...(referenceId !== null && { reference_id: referenceId }),
	};
}

async function statusOf(office: CustodyOffice, transaction: StoredTransaction): Promise<string> {
	const { status, hash, sender, nonce, broadcasts } = transaction;
	if (broadcasts === 0) return status;
	const receipt = Receipt.parse(await office.rpc.call("eth_getTransactionReceipt", [hash]));
	if (receipt) return receipt.status === "0x1" ? "confirmed" : "execution_reverted";
	if (status !== "broadcasted") return status;
	const next = Number(await office.rpc.call("eth_getTransactionCount", [sender, "latest"]));
	return next > nonce ? "replaced" : status;
}
