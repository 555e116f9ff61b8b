import { Fault } from "#core/fault/Fault.ts";

/**
 * Whether a call failed because every node that answers for the chain serves another one. Unlike
 * silence that does not pass by waiting: somebody has to correct the endpoints.
 */
export function isOfOtherChain(error: unknown): boolean {
	return error instanceof Fault && error.code === "rpc_wrong_chain";
}
