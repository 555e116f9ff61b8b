type Reviver = (key: string, value: unknown, context?: { source?: string }) => unknown;

/**
 * Makes a body parser for JSON with amounts of money: the named members, at any depth, become the
 * text that was sent, whether a number or a string. A number that became a double first would be
 * another amount (0.1 + 17 digits, `1e18`).
 *
 * The schema interprets the text, with `parseAmount` or a pattern: `1e18` and `-0` are valid JSON
 * numbers and are kept as text. Invalid JSON throws a SyntaxError, which the edge answers with
 * `malformed_body`.
 *
 * `"json"` after it never runs; it tells the OpenAPI document that the body is JSON.
 *
 * @example
 * new Elysia().post("/buys", handler, { parse: [exactNumbers("maxPriceNative"), "json"], body });
 */
export function exactNumbers(
	...names: readonly string[]
): (context: { request: Request }) => Promise<unknown> {
	const exact = new Set(names);
	const revive: Reviver = (key, value, context) =>
		typeof value === "number" && exact.has(key) ? (context?.source ?? String(value)) : value;
	return async ({ request }) => JSON.parse(await request.text(), revive);
}
