// Sends a transaction through the wallet provider, and says what its answer proves.

import { numberToHex } from "viem";
import type { Clock } from "#core/clock.ts";
import { assert } from "#core/fault.ts";
import {
	type ProviderAnswer,
	pathSegment,
	refusalCode,
	UNSENT_CODES,
} from "#plugins/custody/caller.ts";
import type { Custody, CustodyTransaction, SendOutcome } from "#plugins/custody/contract.ts";
import { REFERENCE_LENGTH_MAX, REQUEST_BYTES_MAX } from "#plugins/custody/limits.ts";
import type { Authorize } from "#plugins/custody/sign.ts";
import { type NamedCall, type ProviderClient, wire } from "#plugins/custody/wire.ts";

type Request = Parameters<Custody["send"]>[0];

/**
 * Statuses which mean that nothing was done, because who asked, or what was asked for, was refused
 * before the work. They count in the provider's own form only: the page of a proxy proves nothing.
 */
const TURNED_AWAY: ReadonlySet<number> = new Set([401, 403, 404]);

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

/** Says what an answer to `eth_sendTransaction` proves. What proves nothing is `unknown`. */
export function classifySend(
	answer: ProviderAnswer,
	asked: { caip2: string; referenceId: string },
): SendOutcome {
	if (answer.kind === "silent") return unknown(answer.detail);
	const { status } = answer;
	if (answer.kind === "unreadable") return unknown(`HTTP ${status}: ${answer.detail}`);
	if (status >= 200 && status < 300) return readSent(answer.json, asked);
	const code = refusalCode(answer.json);
	if (code === null) return unknown(`HTTP ${status}: not in the provider's form`);
	const detail = `HTTP ${status}: ${code}`;
	// Whoever speaks of a transaction has one.
	const contradicts = /"(?:data|hash|transaction_hash|transaction_id)":/.test(
		JSON.stringify(answer.json),
	);
	const isProof =
		!contradicts &&
		code !== "transaction_broadcast_failure" &&
		(TURNED_AWAY.has(status) || ((status === 400 || status === 422) && UNSENT_CODES.has(code)));
	if (!isProof) return unknown(detail);
	return { kind: "refused", code: code === "unlisted" ? `http_${status}` : code, detail };
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

function notSent(detail: string): SendOutcome {
	return { kind: "refused", code: "not_sent", detail };
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

function unknown(detail: string): SendOutcome {
	return { kind: "unknown", detail };
}

function readSent(json: unknown, asked: { caip2: string; referenceId: string }): SendOutcome {
	const { data: read } = wire.sent.safeParse(json);
	if (read === undefined) return unknown("HTTP 200: not what its schema says");
	const { data } = read;
	if (data.caip2 !== asked.caip2) return unknown("HTTP 200: of another chain");
	// Left out it says nothing; another one says that the answer is not ours.
	if (data.reference_id != null && data.reference_id !== asked.referenceId) {
		return unknown("HTTP 200: of another reference");
	}
	if (/^0x0+$/.test(data.hash)) return unknown("HTTP 200: no hash");
	return { kind: "sent", transactionHash: data.hash, transactionId: data.transaction_id ?? null };
}
