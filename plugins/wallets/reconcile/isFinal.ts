import type { Sighting } from "#plugins/wallets/chain/sightingCodec.ts";
import type { ExecutionWorld } from "#plugins/wallets/execution/ExecutionWorld.ts";

/** Mined so deep that the chain does not take it back. */
export function isFinal(
	{ settings }: Pick<ExecutionWorld, "settings">,
	{ receipt, headBlock }: Sighting,
): boolean {
	return receipt !== null && headBlock - receipt.blockNumber >= settings.finalDepthBlocks;
}
