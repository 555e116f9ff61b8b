import { Elysia } from "elysia";
import { z } from "zod";
import { cursorParam } from "#core/http/cursorParam.ts";
import { pageSchema } from "#core/http/pageSchema.ts";
import { DROP_STATES } from "#plugins/market-index/drops/readDrops.ts";
import type { RouteContext } from "#plugins/market-index/read/RouteContext.ts";
import { answerDrops } from "#plugins/market-index/routes/answerDrops.ts";
import { PAGE_DEFAULT, PAGE_MAX } from "#plugins/market-index/routes/limits.ts";
import { chainParam } from "#plugins/market-index/schemas/chainParam.ts";
import { dropSchema } from "#plugins/market-index/schemas/dropSchema.ts";
import { limitParam } from "#plugins/market-index/schemas/limitParam.ts";

const answerSchema = z
	.object({
		data: z.array(dropSchema).meta({ description: "Drops by their start." }),
		page: pageSchema,
	})
	.meta({ id: "DropPage", description: "A page of drops." });

/** Serves mints that are upcoming, under way and over. */
export function getDrops(context: RouteContext) {
	return new Elysia().get("/drops", async ({ query }) => answerDrops(context, query), {
		query: z.object({
			chain: chainParam,
			state: z.enum(DROP_STATES).optional().meta({ description: "Only drops in this state." }),
			limit: limitParam(PAGE_DEFAULT, PAGE_MAX),
			cursor: cursorParam(),
		}),
		response: { 200: answerSchema },
		detail: {
			operationId: "listDrops",
			tags: ["market"],
			summary: "Lists drops",
			description: "By their start: `upcoming` the next one first, otherwise the newest first.",
		},
	});
}
