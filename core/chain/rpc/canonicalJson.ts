/** A parsed JSON value as text in which the order of keys no longer counts. */
export function canonicalJson(value: unknown): string {
	return JSON.stringify(value, (_, part: unknown) => {
		if (typeof part !== "object" || part === null || Array.isArray(part)) return part;
		return Object.fromEntries(
			Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1)),
		);
	});
}
