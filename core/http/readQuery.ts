/** The parameters of a query by name; a repeated one has all its values. */
export type Query = Record<string, string | string[]>;

/**
 * Parses the text after a URL's question mark, as browsers write it.
 *
 * Elysia's own reader makes a list of `q=cats,dogs` and JSON of `q=[1]` before any schema runs, so
 * that a comma was refused and could not be distinguished from a repeated parameter.
 */
export function readQuery(text: string): Query {
	// Without a prototype: `__proto__` is a name like any other.
	const query: Query = Object.create(null);
	if (text === "") return query;
	for (const [name, value] of new URLSearchParams(text)) {
		const before = query[name];
		if (before === undefined) query[name] = value;
		else if (typeof before === "string") query[name] = [before, value];
		else before.push(value);
	}
	return query;
}
