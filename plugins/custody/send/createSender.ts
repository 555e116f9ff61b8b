import { numberToHex } from "viem";
import type { Clock } from "#core/clock/Clock.ts";
import { assert } from "#core/fault/assert.ts";
import type { Custody, CustodyTransaction, SendOutcome } from "#plugins/custody/contract.ts";
import type { NamedCall, ProviderClient } from "#plugins/custody/createProviderClient.ts";
import { pathSegment } from "#plugins/custody/http/pathSegment.ts";
import { REFERENCE_LENGTH_MAX, REQUEST_BYTES_MAX } from "#plugins/custody/limits.ts";
import { classifySend } from "#plugins/custody/send/classifySend.ts";
import type { Authorize } from "#plugins/custody/sign/createAuthorizer.ts";

type Request = Parameters<Custody["send"]>[0];

const REFERENCE = new RegExp(`^[\\w-]{1,${REFERENCE_LENGTH_MAX}}$`);

/**
 * Sends a transaction, once. What fails before the first byte leaves is `refused`, because we know
 * it ourselves; from then on the answer decides, and nothing here is tried again.
 */
export function createSender(options: {
	client: ProviderClient;
	authorize: Authorize;
	clock: Clock;
}): Custody["send"] {
	const { client, clock } = options;
	return async (request) => {
		const { transaction, referenceId, signal } = request;
		if (signal.aborted) return notSent("given up before it was sent");
		if (!(request.validUntilMs > clock.nowMs())) return notSent("too late to send it");
		if (!REFERENCE.test(referenceId)) return notSent("a reference in no form of ours");
		let call: NamedCall;
		try {
			call = callOf(request, options);
		} catch {
			// Without the error: it may quote what was to be signed.
			return notSent("it cannot be signed");
		}
		if ((call.signed?.text.length ?? 0) > REQUEST_BYTES_MAX) return notSent("too large");
		const asked = { caip2: `eip155:${transaction.chainId}`, referenceId };
		try {
			return await client.ask(call, (answer) => classifySend(answer, asked));
		} catch {
			return { kind: "unknown", detail: "our own mistake after sending" };
		}
	};
}

function callOf(request: Request, options: { client: ProviderClient; authorize: Authorize }) {
	const { providerWalletId, transaction, referenceId, validUntilMs, signal } = request;
	const path = `/v1/wallets/${pathSegment(providerWalletId)}/rpc`;
	const signed = options.authorize({
		url: options.client.urlOf(path),
		body: sendBody(transaction, referenceId),
		idempotencyKey: referenceId,
		expiresAtMs: validUntilMs,
	});
	return { endpoint: "send", path, signed, signal };
}

function notSent(detail: string): SendOutcome {
	return { kind: "refused", code: "not_sent", detail };
}

/** Writes the request by which the provider signs a transaction and broadcasts it. */
function sendBody(transaction: CustodyTransaction, referenceId: string) {
	return {
		method: "eth_sendTransaction",
		caip2: `eip155:${transaction.chainId}`,
		chain_type: "ethereum",
		reference_id: referenceId,
		params: { transaction: transactionParams(transaction) },
	};
}

/**
 * Writes a transaction in the provider's words. Every quantity is a hex string: JSON numbers beyond
 * 2^53 would be rounded on the way, and one wei rounded is another payment.
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
