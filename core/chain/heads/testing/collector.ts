/** Collects what a callback is handed, and lets a test wait for the next without a clock. */
export function collector<Value>() {
	const values: Value[] = [];
	const waiting: ((value: Value) => void)[] = [];
	return {
		add(value: Value) {
			const next = waiting.shift();
			if (next) next(value);
			else values.push(value);
		},
		/** The next value, in order; one that nobody has taken yet, or the one to come. */
		next(): Promise<Value> {
			const [value] = values.splice(0, 1);
			return value === undefined
				? new Promise((done) => waiting.push(done))
				: Promise.resolve(value);
		},
		/** What came and was not taken. */
		rest: () => values,
	};
}
