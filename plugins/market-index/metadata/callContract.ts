import type { Address, Hex } from "#core/chain/Hex.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import { Fault } from "#core/fault/Fault.ts";

/** A contract may burn this much and no more of the node's time. */
const GAS_MAX = "0x4c4b40";

/** Hex digits of an answer worth reading: 128 KiB. Longer ones are an attack or a mistake. */
const ANSWER_LENGTH_MAX = 262_144;

/**
 * Calls a view function of a contract nobody vouches for. Null where it has no such function,
 * reverts, or answers too much; throws only where the node did not answer, which is worth a retry.
 */
export async function callContract(
	rpc: Rpc,
	contract: Address,
	data: Hex,
	signal: AbortSignal,
): Promise<Hex | null> {
	const params = [{ to: contract, data, gas: GAS_MAX }, "latest"];
	try {
		const answer = await rpc.call({ method: "eth_call", params }, { signal });
		if (typeof answer !== "string" || !/^0x[0-9a-f]*$/i.test(answer)) return null;
		if (answer.length <= 2 || answer.length > ANSWER_LENGTH_MAX) return null;
		return answer as Hex;
	} catch (error) {
		if (error instanceof Fault && error.code === "rpc_transport") throw error;
		return null;
	}
}
