import { z } from "zod";
import { field } from "#core/http/openapi/field.ts";

/** How far the live sale lane is behind the chain. */
export const freshnessSchema = z
	.object({
		chain: field.text("Slug of the chain.", "ethereum"),
		headBlock: field.integer("Newest block of the chain that was seen.", 21_000_003).nullable(),
		indexedBlock: field.integer("Newest block whose sales are stored.", 21_000_002).nullable(),
		indexedAt: field.time("When that block was stored; null: none was.").nullable(),
		lagBlocks: field.integer("`headBlock` less `indexedBlock`.", 1).nullable(),
		listRefreshedAt: field
			.time(
				"When the provider's list that these rows are of was read; null where none was: then they " +
					"are the index's own, as of `servedAt`.",
			)
			.nullable(),
		servedAt: field.time("When this was answered."),
	})
	.meta({
		id: "Freshness",
		description: "How fresh the figures are: the chain's live sale lane, and when this was served.",
	});

export type Freshness = z.output<typeof freshnessSchema>;
