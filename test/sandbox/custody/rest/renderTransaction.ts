import type { StoredTransaction } from "../createCustodyStore.ts";
import type { CustodyOffice } from "./CustodyOffice.ts";
import { statusOf } from "./statusOf.ts";

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
