import type { z } from "zod";

/**
 * Says of each result whether its schema reads it, by the place of its call. So the pool asks
 * another endpoint for what one answered wrong; places without a schema are not looked at.
 */
export function readableBy(
	schemas: readonly (z.ZodType | null)[],
): (result: unknown, index: number) => boolean {
	return (result, index) => schemas[index]?.safeParse(result).success ?? true;
}
