/** Makes a function that creates a value once, at the first call. */
export function lazily<Value>(make: () => Value): () => Value {
	let made: { value: Value } | undefined;
	return () => {
		made ??= { value: make() };
		return made.value;
	};
}
