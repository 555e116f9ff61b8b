import type { Address, Hex } from "#core/chain/Hex.ts";
import type { Rpc, RpcCall } from "#core/chain/rpc/Rpc.ts";
import { Fault } from "#core/fault/Fault.ts";

/** A contract may burn this much and no more of the node's time. */
const GAS_MAX = "0x4c4b40";

/** Hex digits of an answer worth reading: 128 KiB. Longer ones are an attack or a mistake. */
const ANSWER_LENGTH_MAX = 262_144;

/** A view function of a contract, with its arguments. */
export type View = { contract: Address; data: Hex };

/**
 * Calls a view function of a contract nobody vouches for. Null where it has no such function,
 * reverts, or answers too much; throws where no node of the chain answered, which is worth a retry.
 */
export async function callContract(rpc: Rpc, view: View, signal: AbortSignal): Promise<Hex | null> {
	try {
		return answerOf(await rpc.call(viewCall(view), { signal }));
	} catch (error) {
		if (isRefusal(error)) return null;
		throw error;
	}
}

/** A view as a call, with the gas it may burn. */
export function viewCall({ contract, data }: View): RpcCall {
	return { method: "eth_call", params: [{ to: contract, data, gas: GAS_MAX }, "latest"] };
}

/** What came back, or null where it is no bytes or too many. */
export function answerOf(answer: unknown): Hex | null {
	return isAnswer(answer) ? answer : null;
}

function isAnswer(answer: unknown): answer is Hex {
	if (typeof answer !== "string" || answer.length > ANSWER_LENGTH_MAX + 2) return false;
	return answer.length % 2 === 0 && /^0x[0-9a-f]+$/i.test(answer);
}

/**
 * The node answered, and its answer was no. A revert's text is the contract's own, so that one
 * which speaks of limits is taken for a range. Silence, and a node of another chain, say nothing.
 */
export function isRefusal(error: unknown): boolean {
	if (!(error instanceof Fault)) return false;
	return error.code === "rpc_refused" || error.code === "rpc_range";
}
