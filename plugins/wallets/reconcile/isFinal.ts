import type { Sighting } from "#plugins/wallets/chain/sightingCodec.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";

/** Mined so deep that the chain does not take it back. */
export function isFinal(
	{ settings }: Pick<ExecutionDeps, "settings">,
	{ receipt, headBlock }: Sighting,
): boolean {
	return receipt !== null && headBlock - receipt.blockNumber >= settings.finalDepthBlocks;
}
