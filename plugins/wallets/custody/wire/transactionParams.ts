import { numberToHex } from "viem";
import { assert } from "#core/fault/assert.ts";
import type { CustodyTransaction } from "#plugins/wallets/custody/Custody.ts";

/**
 * A transaction in the provider's words. Every quantity is a hex string: JSON numbers beyond 2^53
 * would be rounded on the way, and one wei rounded is another payment.
 */
export function transactionParams(
	transaction: CustodyTransaction,
): Record<string, string | number> {
	const { chainId, nonce, valueRaw, gasLimit, maxFeePerGas, maxPriorityFeePerGas } = transaction;
	assert(Number.isSafeInteger(chainId) && chainId > 0, "a chain id is a positive integer");
	assert(Number.isSafeInteger(nonce) && nonce >= 0, "a nonce is a count");
	assert(valueRaw >= 0n && gasLimit > 0n, "value and gas are not negative");
	assert(maxFeePerGas >= maxPriorityFeePerGas, "the tip is a part of the fee");
	return {
		// EIP-1559, and the one member that is a number: the provider knows it as an enumeration.
		type: 2,
		chain_id: numberToHex(chainId),
		from: transaction.from,
		to: transaction.to,
		value: numberToHex(valueRaw),
		data: transaction.data,
		nonce: numberToHex(nonce),
		gas_limit: numberToHex(gasLimit),
		max_fee_per_gas: numberToHex(maxFeePerGas),
		max_priority_fee_per_gas: numberToHex(maxPriorityFeePerGas),
	};
}
