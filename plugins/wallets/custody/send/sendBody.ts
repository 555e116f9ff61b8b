import type { CustodyTransaction } from "#plugins/wallets/custody/Custody.ts";
import { transactionParams } from "#plugins/wallets/custody/wire/transactionParams.ts";

/** The request by which the provider signs a transaction and broadcasts it. */
export function sendBody(transaction: CustodyTransaction, referenceId: string) {
	return {
		method: "eth_sendTransaction",
		caip2: `eip155:${transaction.chainId}`,
		chain_type: "ethereum",
		reference_id: referenceId,
		params: { transaction: transactionParams(transaction) },
	};
}
