import { z } from "zod";
import { LIFECYCLES } from "#plugins/market-index/lifecycle/Lifecycle.ts";

/** The presented lifecycle. */
export const lifecycleSchema = z
	.enum(LIFECYCLES)
	.meta({
		id: "Lifecycle",
		description:
			"`minted_out` is shown for 15 minutes after the last mint, then `secondary`; the filter " +
			"`ended` of trending lists both.",
	})
	.nullable()
	.meta({
		description:
			"Null where nothing is known: neither a mint nor a sale was seen, nobody is known to own or " +
			"to ask, and no mint was announced.",
	});
