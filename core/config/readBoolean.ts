/**
 * Only these spellings are a boolean. `z.coerce.boolean()` reads "false" as true, which has turned
 * dry runs off elsewhere.
 */
export function readBoolean(text: string): boolean | undefined {
	return SPELLINGS.get(text.trim().toLowerCase());
}

const SPELLINGS = new Map([
	["true", true],
	["1", true],
	["yes", true],
	["false", false],
	["0", false],
	["no", false],
]);
