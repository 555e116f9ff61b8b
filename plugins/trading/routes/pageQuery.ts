import { z } from "zod";
import { cursorParam } from "#core/http/cursorParam.ts";

/** Rows of one page. */
const PAGE_DEFAULT = 50;
const PAGE_MAX = 200;
const message = `must be a whole number from 1 to ${PAGE_MAX}`;

/** The members of a query that ask for a page. */
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
