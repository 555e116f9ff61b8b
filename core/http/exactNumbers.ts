type Reviver = (key: string, value: unknown, context?: { source?: string }) => unknown;

/**
 * How a route reads a JSON body whose figures are money: the named members, wherever they stand,
 * come out as the text that was sent, whether it was a number or a string. A number that became a
 * double first is another amount (0.1 + 17 digits, `1e18`), so it never is one.
 *
 * What the text means is the schema's affair, with `parseAmount` or a pattern behind it: `1e18` and
 * `-0` are valid JSON numbers and come out just so. A text that is no JSON throws a SyntaxError,
 * which the edge answers with `malformed_body`.
 *
 * `"json"` behind it never runs; by it the OpenAPI document knows that the body is JSON.
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
