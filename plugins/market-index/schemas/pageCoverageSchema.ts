import { z } from "zod";
import { coverageSchema } from "#plugins/market-index/schemas/coverageSchema.ts";

/** Returns the schema of a page's coverage: how much of the time that it is about was read. */
export function pageCoverageSchema(names: string) {
	return z.record(z.string(), coverageSchema).meta({
		description:
			`Of ${names}: those of which some may be missing, each with how much of the page's time was ` +
			"looked at (0: nothing; `fraction` null: the page goes back to the beginning, and how long " +
			"that is is not known). The page's time goes from its oldest row, or from the beginning where " +
			"no page follows, to where the page before it ended, or to now. What is not named is whole.",
	});
}
