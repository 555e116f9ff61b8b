/** Bits of a position below its block; see `positionOf`. */
const BITS_BELOW_BLOCK = 30n;

/** The block of a place in the chain. */
export function blockOfPosition(position: bigint): number {
	return Number(position >> BITS_BELOW_BLOCK);
}
