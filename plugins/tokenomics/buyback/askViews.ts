import type { Hex } from "viem";
import type { Address } from "#core/chain/Hex.ts";
import type { RpcCall, RpcOutcome } from "#core/chain/rpc/Rpc.ts";

const BYTES = /^0x(?:[0-9a-f]{2})*$/i;

/** Returns the call that asks a contract something, at the newest block or as of another. */
export function viewCall(to: Address, data: Hex, block = "latest"): RpcCall {
	return { method: "eth_call", params: [{ to, data }, block] };
}

/**
 * Reads what a contract answered. Null where it refused or answered something else: both are what
 * the contract is like. Where the node did not answer it throws: nothing was learned.
 */
export function decoded<Value>(
	outcome: RpcOutcome | undefined,
	decode: (data: Hex) => Value,
): Value | null {
	const answer = answerOf(outcome);
	if (answer === null) return null;
	try {
		return decode(answer);
	} catch {
		return null;
	}
}

/** Returns the bytes that a call answered; null where it was refused or answered none. */
function answerOf(outcome: RpcOutcome | undefined): Hex | null {
	if (outcome?.kind === "fault") {
		if (outcome.fault.code === "rpc_refused") return null;
		throw outcome.fault;
	}
	const result = outcome?.result;
	return isBytes(result) && result !== "0x" ? result : null;
}

const isBytes = (result: unknown): result is Hex =>
	typeof result === "string" && BYTES.test(result);
