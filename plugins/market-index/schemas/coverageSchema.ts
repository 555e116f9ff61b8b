import { z } from "zod";
import { field } from "#core/http/openapi/field.ts";

/** The part of a figure's window whose events were read. */
export const coverageSchema = z
	.object({
		from: field
			.time("From this time on nothing is missing; null where that is not known.")
			.nullable(),
		until: field
			.time("Until this time nothing is missing; null where that is not known.")
			.nullable(),
		fraction: field
			.number(
				"Share of the whole, from 0 to 1, rounded down: 1 only where nothing is missing; null where " +
					"the whole is not known.",
				0.125,
			)
			.nullable(),
	})
	.meta({ id: "Coverage", description: "How much of a figure was looked at." });

export type ShownCoverage = z.output<typeof coverageSchema>;
