import type { StoredTransaction } from "../createCustodyStore.ts";
import type { CustodyOffice } from "./CustodyOffice.ts";
import { statusOf } from "./statusOf.ts";

/**
 * Renders a transaction as the provider does. Its status is read from the chain, because forks
 * change it, except where a fault orders a false status.
 */
export async function renderTransaction(
	office: CustodyOffice,
	transaction: StoredTransaction,
): Promise<unknown> {
	const { id, caip2, hash, walletId, referenceId, createdAtMs, broadcasts } = transaction;
	const claim = office.store.claimOf(id);
	return {
		id,
		caip2,
		created_at: createdAtMs,
		status: claim ? claim.status : await statusOf(office, transaction),
		transaction_hash: claim ? claim.hash : broadcasts > 0 ? hash : null,
		wallet_id: walletId,
		...(referenceId !== null && { reference_id: referenceId }),
	};
}
