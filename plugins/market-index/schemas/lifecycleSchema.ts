import { z } from "zod";
import { LIFECYCLES } from "#plugins/market-index/lifecycle/Lifecycle.ts";

/** The presented lifecycle. */
export const lifecycleSchema = z.enum(LIFECYCLES).meta({
	description:
		"`minted_out` is shown for 15 minutes after the last mint, then `secondary`; the filter " +
		"`ended` of trending lists both.",
});
