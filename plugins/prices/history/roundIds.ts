/** Behind a proxy a round's id is the phase (one aggregator) above 64 bits of its own number. */
export const PHASE_BITS = 64n;

const NUMBER_MASK = (1n << PHASE_BITS) - 1n;

/**
 * Returns the rounds of one phase below `above`, newest first, down to but without `below`. Numbers
 * begin at 1 in each phase; empty where the phase is read.
 */
export function roundsBelow(
	above: bigint,
	{ below, countMax }: { below: bigint; countMax: number },
): bigint[] {
	const ids: bigint[] = [];
	for (let id = above - 1n; ids.length < countMax && id > below; id--) {
		if ((id & NUMBER_MASK) === 0n || id >> PHASE_BITS !== above >> PHASE_BITS) break;
		ids.push(id);
	}
	return ids;
}

/** Returns the phase before; null where ids have no phase, or it was the first. */
export function lowerPhase(id: bigint): bigint | null {
	const phase = id >> PHASE_BITS;
	return phase > 1n ? phase - 1n : null;
}
