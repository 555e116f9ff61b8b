/** Bits of a position below its block; see `positionOf`. */
const BITS_BELOW_BLOCK = 30n;

/** Returns the block of a chain position. */
export function blockOfPosition(position: bigint): number {
	return Number(position >> BITS_BELOW_BLOCK);
}
