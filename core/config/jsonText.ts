import { z } from "zod";

/**
 * A variable that holds JSON of a certain shape.
 *
 * @example CHAIN_RPC_URLS_JSON: jsonText(z.record(z.string(), rpcUrls)).default({}).describe("…")
 */
export function jsonText<Shape extends z.ZodType>(shape: Shape) {
	return z
		.string()
		.transform((text, context): unknown => {
			try {
				return JSON.parse(text);
			} catch {
				// The parser's message quotes the text, which may hold a secret.
				context.addIssue({ code: "custom", message: "this is not JSON" });
				return z.NEVER;
			}
		})
		.pipe(shape);
}
