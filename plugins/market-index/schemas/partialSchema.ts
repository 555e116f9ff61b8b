import { z } from "zod";
import { coverageSchema } from "#plugins/market-index/schemas/coverageSchema.ts";

/** A row's coverage: figures that were covered in part, by the name of their field. */
export const partialSchema = z.record(z.string(), coverageSchema).meta({
	id: "CoverageByField",
	description:
		"Fields of this row that are numbers and were covered in part, each with how much. A number " +
		"that is not named is whole; a figure that is null is unknown. A figure with several names is " +
		"named once, by the one to prefer: `volume24hNative` also speaks for `volume_24h`.",
});

export type ShownPartial = z.output<typeof partialSchema>;
