/** Where a pattern occurs in a text, as line numbers. */
export function findInCode(code: string, pattern: RegExp): number[] {
	return [...code.matchAll(new RegExp(pattern, "g"))].map(
		({ index }) => code.slice(0, index).split("\n").length,
	);
}
