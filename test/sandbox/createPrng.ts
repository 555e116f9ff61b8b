/** A small seeded generator (mulberry32); its state is one number and is saved in the snapshot. */
export type Prng = {
	/** Returns an evenly distributed number in [0, 1). */
	next(): number;
	/** Returns an evenly distributed integer from 0 to below-1. */
	int(below: number): number;
	chance(probability: number): boolean;
	/**
	 * Returns an approximately normal number, mean 0 and deviation 1 (a sum of four even ones, so
	 * that no log of zero can occur).
	 */
	gauss(): number;
	/** Returns a random whole number with this mean. */
	count(mean: number): number;
	pick<T>(from: readonly T[]): T;
	state(): number;
};

export function createPrng(seed: number): Prng {
	let state = seed >>> 0;
	function next(): number {
		state = (state + 0x6d2b79f5) >>> 0;
		let t = state;
		t = Math.imul(t ^ (t >>> 15), t | 1);
		t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
		return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
	}
	const int = (below: number): number => Math.floor(next() * below);
	return {
		next,
		int,
		chance: (probability) => next() < probability,
		gauss: () => (next() + next() + next() + next() - 2) * Math.sqrt(3),
		count(mean) {
			// A Poisson number by multiplication; means here are below ten.
			const floor = Math.exp(-mean);
			let product = next();
			let n = 0;
			while (product > floor && n < 50) {
				product *= next();
				n += 1;
			}
			return n;
		},
		pick(from) {
			const item = from[int(from.length)];
			if (item === undefined) throw new Error("nothing to pick from");
			return item;
		},
		state: () => state,
	};
}
