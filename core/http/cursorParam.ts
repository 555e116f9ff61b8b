import { z } from "zod";

/** The longest cursor, but for those that hold strangers' texts. */
const CURSOR_LENGTH_MAX = 256;

/**
 * The form of a cursor; what it means is told by the list that made it. An empty one is none, as
 * clients send it that fill `cursor={nextCursor}` in from the first page on.
 */
export function cursorParam(lengthMax = CURSOR_LENGTH_MAX) {
	return z
		.string()
		.max(lengthMax)
		.optional()
		.transform((cursor) => cursor || undefined)
		.meta({
			description:
				"`page.nextCursor` of the page before, with the same filters; the first page without.",
		});
}
