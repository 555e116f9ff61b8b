// Describes how figures of a collection went in time, as clients see it.

import { z } from "zod";
import { field } from "#core/http/openapi/schema.ts";
import { FIGURE_SOURCES } from "#plugins/market-index/rollup/windows.ts";

const pointSchema = z
	.object({
		at: field.time("When it was noticed; it stands until the next point."),
		value: field.number("The figure in `unit`; null: it ceased to be known.", 1.2).nullable(),
		valueRaw: field
			.digits("Of a floor the exact integer in wei; null otherwise.", "1200000000000000000")
			.nullable(),
		valueUsd: field
			.number("Of a floor its worth in US dollars at that time; null otherwise.", 3_000)
			.nullable(),
		source: z
			.enum(FIGURE_SOURCES)
			.nullable()
			.meta({ description: "Who told it, as `source` of a figure; null with the value." }),
		asOf: field.time("The time that the figure stood for; null where nobody noted it.").nullable(),
	})
	.meta({ id: "HistoryPoint", description: "One figure at one time." });

export type HistoryPoint = z.output<typeof pointSchema>;

const seriesSchema = z
	.object({
		metric: z.enum(["floor", "listed", "holders"]).meta({
			description:
				"`floor`: the lowest known ask. `listed`: tokens for sale. `holders`: distinct owners, " +
				"elsewhere called `ownersCount`.",
		}),
		unit: z.enum(["ETH", "count"]).meta({ description: "What values are counted in." }),
		keptFrom: field
			.time("Since when it is kept of this collection; null: it is not kept yet.")
			.nullable(),
		points: z.array(pointSchema).meta({
			description:
				"Oldest first, the last one of each step. One is stored where the figure changed, at most " +
				"every five minutes (floors: every minute), and where its source told the same again, an " +
				"hour later at the earliest. Where there are none for longer, nobody looked.",
		}),
	})
	.meta({ id: "HistorySeries", description: "One figure of a collection in time." });

export type HistorySeries = z.output<typeof seriesSchema>;

/** What `history` of a collection answers. */
export const historySchema = z
	.object({
		from: field.time("Where the answer begins."),
		to: field.time("Where it ends."),
		stepSeconds: field.integer("Of each stretch of this length the last point is shown.", 300),
		data: z.array(seriesSchema).meta({ description: "A series for each figure asked for." }),
	})
	.meta({ id: "CollectionHistory", description: "How figures of a collection went in time." });

export type History = z.output<typeof historySchema>;
