import { z } from "zod";

/**
 * Returns the schema of a page size from 1 to `max`. Any other value is refused, never silently
 * cut.
 */
export function limitParam(fallback: number, max: number) {
	const message = `must be a whole number from 1 to ${max}`;
	return z
		.string()
		.regex(/^[1-9][0-9]{0,3}$/, message)
		.transform(Number)
		.pipe(z.int().max(max, message))
		.meta({
			type: "integer",
			minimum: 1,
			maximum: max,
			description: `How many at most; ${fallback} unless given.`,
			examples: [fallback],
		})
		.default(fallback);
}
