import { z } from "zod";

/** The longest cursor, except those that hold strangers' texts. */
const CURSOR_LENGTH_MAX = 256;

/**
 * Returns the schema of a cursor parameter; the list that made it checks its content. An empty one
 * counts as none, because some clients always send `cursor={nextCursor}`.
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
