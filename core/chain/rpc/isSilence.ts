import { Fault } from "#core/fault/Fault.ts";

/** True where nothing was learned, so that another endpoint may be asked the same. */
export function isSilence(error: unknown): boolean {
	if (!(error instanceof Fault)) return false;
	return error.code === "rpc_transport" || error.code === "rpc_wrong_chain";
}
