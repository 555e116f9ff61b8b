import type { z } from "zod";

/**
 * Makes a check whether each result fits its schema, by the position of its call; the pool asks
 * another endpoint for invalid ones. Positions without a schema are not checked.
 */
export function readableBy(
	schemas: readonly (z.ZodType | null)[],
): (result: unknown, index: number) => boolean {
	return (result, index) => schemas[index]?.safeParse(result).success ?? true;
}
