export type Random = {
	/** A whole number from 0 to `below` - 1. */
	below(below: number): number;
	pick<One>(from: readonly One[]): One;
};

const UINT32 = 2 ** 32;

/** Makes numbers that follow from the seed alone (xorshift32). */
export function createRandom(seed: number): Random {
	let state = (Math.imul(seed, 0x9e3779b1) ^ 0x5bd1e995) >>> 0 || 1;
	const next = () => {
		state ^= state << 13;
		state ^= state >>> 17;
		state ^= state << 5;
		state >>>= 0;
		return state / UINT32;
	};
	const below = (max: number) => Math.floor(next() * max);
	return {
		below,
		pick: (from) => {
			const one = from[below(from.length)];
			if (one === undefined) throw new Error("there is nothing to pick from");
			return one;
		},
	};
}
