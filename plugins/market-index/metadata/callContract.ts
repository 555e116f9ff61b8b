import type { Address, Hex } from "#core/chain/Hex.ts";
import type { Rpc, RpcCall } from "#core/chain/rpc/Rpc.ts";
import { Fault } from "#core/fault/Fault.ts";

/** The most gas that a call to a contract may use at the node. */
const GAS_MAX = "0x4c4b40";

/**
 * Hex digits of the longest answer that is read: 128 KiB. Longer ones are an attack or a mistake.
 */
const ANSWER_LENGTH_MAX = 262_144;

/** A view function of a contract, with its arguments. */
export type View = { contract: Address; data: Hex };

/**
 * Calls a view function of an untrusted contract. Null where it has no such function, reverts, or
 * answers too much; throws where no node of the chain answered, which is worth a retry.
 */
export async function callContract(rpc: Rpc, view: View, signal: AbortSignal): Promise<Hex | null> {
	try {
		return answerOf(await rpc.call(viewCall(view), { signal }));
	} catch (error) {
		if (isRefusal(error)) return null;
		throw error;
	}
}

/** Returns a view as a call, with its gas limit. */
export function viewCall({ contract, data }: View): RpcCall {
	return { method: "eth_call", params: [{ to: contract, data, gas: GAS_MAX }, "latest"] };
}

/** Returns the answer, or null where it is no bytes or too many. */
export function answerOf(answer: unknown): Hex | null {
	return isAnswer(answer) ? answer : null;
}

function isAnswer(answer: unknown): answer is Hex {
	if (typeof answer !== "string" || answer.length > ANSWER_LENGTH_MAX + 2) return false;
	return answer.length % 2 === 0 && /^0x[0-9a-f]+$/i.test(answer);
}

/**
 * Says whether the node answered with a refusal. A revert's text is the contract's own, so one that
 * speaks of limits is taken for a range error. A timeout, or a node of another chain, is no
 * refusal.
 */
export function isRefusal(error: unknown): boolean {
	if (!(error instanceof Fault)) return false;
	return error.code === "rpc_refused" || error.code === "rpc_range";
}
