import { z } from "zod";
import { field } from "#core/http/openapi/field.ts";

/** Whether a list continues, and what to send as `cursor` for the next page. */
export const pageSchema = z
	.object({
		nextCursor: field
			.text("Send it back as `cursor` for the next page; null on the last one.", "czE6MTIzNDU")
			.nullable(),
		hasMore: field.flag("Whether there is a next page."),
	})
	.meta({ id: "Page", description: "Where a list goes on." });
