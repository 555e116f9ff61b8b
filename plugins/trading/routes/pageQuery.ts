import { z } from "zod";
import { cursorParam } from "#core/http/cursorParam.ts";

/** The number of rows in one page. */
const PAGE_DEFAULT = 50;
const PAGE_MAX = 200;
const message = `must be a whole number from 1 to ${PAGE_MAX}`;

/** The query parameters of a page. */
export const pageQuery = {
	limit: z
		.string()
		.regex(/^[1-9][0-9]{0,3}$/, message)
		.transform(Number)
		.pipe(z.int().max(PAGE_MAX, message))
		.meta({
			...{ type: "integer", minimum: 1, maximum: PAGE_MAX, examples: [PAGE_DEFAULT] },
			description: `How many at most; ${PAGE_DEFAULT} unless given.`,
		})
		.default(PAGE_DEFAULT),
	cursor: cursorParam(),
};
