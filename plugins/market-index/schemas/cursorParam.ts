import { z } from "zod";

/** The form of a cursor; what it means is told by the list that made it. */
export const cursorParam = z
	.string()
	.max(256)
	.optional()
	.meta({ description: "`page.nextCursor` of the page before; the first page without." });
