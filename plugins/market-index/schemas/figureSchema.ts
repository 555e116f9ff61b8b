import { z } from "zod";
import { field } from "#core/http/openapi/field.ts";
import { FIGURE_SOURCES, UNKNOWN_REASONS } from "#plugins/market-index/rollup/Figure.ts";
import { WINDOW_MS } from "#plugins/market-index/rollup/windowOf.ts";
import { coverageSchema } from "#plugins/market-index/schemas/coverageSchema.ts";

/** One figure with where it comes from. */
export const figureSchema = z
	.object({
		value: field.number("The figure in `unit`; null = unknown.", 1.2).nullable(),
		valueRaw: field
			.digits(
				"Of an amount of ETH, the exact integer in wei; null otherwise.",
				"1200000000000000000",
			)
			.nullable(),
		unit: z
			.enum(["ETH", "percent", "count"])
			.meta({ description: "What `value` is counted in; ETH equivalents for `ETH`." }),
		source: z
			.enum(FIGURE_SOURCES)
			.nullable()
			.meta({
				description:
					"`chain`: what was read on chain; `provider`: what the marketplace provider told; `walk`: " +
					"the scan of all transfers of the contract. Of several, the one that covers most. Null " +
					"where nobody told it.",
			}),
		window: z
			.enum(Object.keys(WINDOW_MS) as [keyof typeof WINDOW_MS])
			.nullable()
			.meta({
				description:
					"How long the time until now is that it is about; null: a moment, or all time.",
			}),
		asOf: field
			.time("The time that it stands for; null where it is unknown, or nobody noted it.")
			.nullable(),
		coverage: coverageSchema.nullable().meta({
			description: "Null where its source told it as a whole, and where it is unknown.",
		}),
		reason: z
			.enum(UNKNOWN_REASONS)
			.nullable()
			.meta({
				description:
					"Why it is null. `not_read`: nobody has told a number. `not_covered`: nothing of its window was " +
					"looked at. `not_counted`: its source says zero before it has counted. `no_price`: what " +
					"was paid has no known price. `contradicted`: none was counted, and another source knows of " +
					"some. `nothing`: there was nothing to make it of.",
			}),
	})
	.meta({
		id: "Figure",
		description: "One figure with where it comes from, or why it is unknown.",
	});

export type ShownFigure = z.output<typeof figureSchema>;
