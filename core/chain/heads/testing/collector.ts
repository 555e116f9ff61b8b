/** Collects the values passed to a callback, and lets a test wait for the next without a clock. */
export function collector<Value>() {
	const values: Value[] = [];
	const waiting: ((value: Value) => void)[] = [];
	return {
		add(value: Value) {
			const next = waiting.shift();
			if (next) next(value);
			else values.push(value);
		},
		/** Returns the next value in order: one not taken yet, or the next to come. */
		next(): Promise<Value> {
			const [value] = values.splice(0, 1);
			return value === undefined
				? new Promise((done) => waiting.push(done))
				: Promise.resolve(value);
		},
		/** Returns the values that were not taken. */
		rest: () => values,
	};
}
