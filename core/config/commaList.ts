import { z } from "zod";

/**
 * Items between commas. Blanks around them and empty items do not count, an item given twice
 * counts once.
 *
 * @example CHAINS: commaList(z.string().toLowerCase()).default([]).describe("…")
 */
export function commaList<Item extends z.ZodType<unknown, string>>(item: Item) {
	return z
		.string()
		.transform((text) => {
			const items = text.split(",").map((part) => part.trim());
			return [...new Set(items.filter((part) => part !== ""))];
		})
		.pipe(z.array(item));
}
