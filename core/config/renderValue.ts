/** A validated value as it would be written into the environment; undefined where it has none. */
export function renderValue(value: unknown): string | undefined {
	if (value === undefined || value === null) return undefined;
	if (Array.isArray(value)) return value.map((item) => renderValue(item) ?? "").join(",");
	return typeof value === "object" && !(value instanceof URL)
		? JSON.stringify(value)
		: String(value);
}
