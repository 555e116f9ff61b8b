import { Fault } from "#core/fault/Fault.ts";

const SILENCES = new Set(["rpc_transport", "rpc_wrong_chain", "rpc_unreadable"]);

/** Returns true if nothing was learned, so that another endpoint may be asked the same. */
export function isSilence(error: unknown): boolean {
	if (!(error instanceof Fault)) return false;
	return SILENCES.has(error.code);
}
