// Compares an answer, member by member, with what it must be.

/** Returns what is wrong with a value; undefined if nothing is. */
export type Check = (actual: any) => string | undefined;

/** What an answer must be, member by member. No member of the answer may be left out. */
export type Expected =
	| Check
	| string
	| number
	| boolean
	| null
	| readonly Expected[]
	| { readonly [name: string]: Expected };

/** Relative tolerance: amounts of money are shown with the digits of a double. */
const RELATIVE = 1e-9;

/**
 * Returns every difference between an answer and what it must be, each with its path.
 *
 * An unexpected member is a difference as well: a new field of a route fails until its expected
 * value, or why it is no figure, is stated here.
 */
export function differences(actual: unknown, expected: Expected, at = ""): string[] {
	if (typeof expected === "function") {
		const wrong = expected(actual);
		return wrong === undefined ? [] : [`${at}: ${wrong}`];
	}
	if (typeof expected === "number") return isNear(actual, expected) ? [] : [differs()];
	if (typeof expected !== "object" || expected === null) {
		return Object.is(actual, expected) ? [] : [differs()];
	}
	if (Array.isArray(expected)) {
		if (!Array.isArray(actual)) return [`${at}: no list but ${short(actual)}`];
		const wrong = actual.length === expected.length ? [] : [countOf(actual, expected)];
		return [...wrong, ...expected.flatMap((one, i) => differences(actual[i], one, `${at}[${i}]`))];
	}
	if (typeof actual !== "object" || actual === null) return [differs()];
	const members = expected as Record<string, Expected>;
	const given = actual as Record<string, unknown>;
	const unexpected = Object.keys(given).filter((name) => !Object.hasOwn(members, name));
	return [
		...unexpected.map((name) => `${at}.${name}: nobody compares this member`),
		...Object.entries(members).flatMap(([name, one]) =>
			differences(given[name], one, `${at}.${name}`),
		),
	];

	function differs(): string {
		return `${at}: ${short(actual)}, and not ${short(expected)}`;
	}

	function countOf(all: unknown[], wanted: readonly unknown[]): string {
		return `${at}: ${all.length} rows, and not ${wanted.length}`;
	}
}

export function isNear(actual: unknown, expected: number): boolean {
	if (typeof actual !== "number") return false;
	return Math.abs(actual - expected) <= RELATIVE * Math.max(1, Math.abs(expected));
}

/** Accepts any value of a member, with the reason why it is no figure. */
export function notAFigure(_why: string): Check {
	return (actual) => (actual === undefined ? "the member is missing" : undefined);
}

function short(value: unknown): string {
	return (JSON.stringify(value) ?? String(value)).slice(0, 200);
}
