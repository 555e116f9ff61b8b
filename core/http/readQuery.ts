/** The parameters of a query by their names; one that is given several times has all its values. */
export type Query = Record<string, string | string[]>;

/**
 * Reads the text behind a URL's question mark, as browsers write it.
 *
 * Elysia's own reader makes a list of `q=cats,dogs` and JSON of `q=[1]` before any schema is asked,
 * so that a comma was refused and could not be told from a parameter that was given twice.
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
