/** Counts what was done to the product: a fault that never happened proves nothing. */
export type Tally = {
	add(what: string, times?: number): void;
	of(what: string): number;
	/** Everything counted, most frequent first. */
	all(): [string, number][];
};

export function createTally(): Tally {
	const counts = new Map<string, number>();
	const of = (what: string) => counts.get(what) ?? 0;
	return {
		add: (what, times = 1) => void counts.set(what, of(what) + times),
		of,
		all: () => [...counts].sort(([, a], [, b]) => b - a),
	};
}
