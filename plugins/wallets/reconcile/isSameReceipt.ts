import type { Sighting } from "#plugins/wallets/chain/sightingCodec.ts";

/** Whether two sightings have the same receipt, or none: the same block, with the same end. */
export function isSameReceipt(one: Sighting | null, other: Sighting | null): boolean {
	return (
		one?.receipt?.blockHash === other?.receipt?.blockHash &&
		one?.receipt?.succeeded === other?.receipt?.succeeded
	);
}
