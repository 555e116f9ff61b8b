import { z } from "zod";

/** A page size from 1 to `max`. Anything else is refused, never clipped in silence. */
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
