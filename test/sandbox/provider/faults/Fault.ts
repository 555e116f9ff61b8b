import { z } from "zod";
import { MINUTE_MS } from "#core/time/units.ts";
import { RACE_KINDS } from "./raceBuyer.ts";

const GIB_BYTES = 1_073_741_824;

/** The ways in which a provider goes wrong; three are the stream's, and then come the sellers'. */
export const FAULT_KINDS = [
	"429",
	"599",
	"500",
	"html",
	"silence",
	"slow",
	"huge",
	"wrong_types",
	"odd_data",
	"truncated",
	"zero_floor",
	"drop_stream",
	"duplicate",
	"reorder",
	...RACE_KINDS,
] as const;

/** One order to misbehave, as POST /_sandbox/faults takes it. */
export const Fault = z.object({
	/** Which paths, as a pattern over path and query; all without it. */
	path: z.string().max(200).refine(isPattern, "is no regular expression").optional(),
	kind: z.enum(FAULT_KINDS),
	/** How often; for ever without it. */
	times: z.int().min(1).optional(),
	/** Seconds or an HTTP date, sent as it is; of 429 and 599. */
	retryAfter: z.union([z.string(), z.number()]).optional(),
	/** In place of the usual status of `html` (200) and `500`. */
	status: z.int().min(200).max(599).optional(),
	/** How slow. */
	delayMs: z.int().min(0).max(MINUTE_MS).optional(),
	/** How huge. */
	bytes: z.int().min(1).max(GIB_BYTES).optional(),
});
export type Fault = z.infer<typeof Fault>;
export type FaultKind = Fault["kind"];

function isPattern(text: string): boolean {
	try {
		new RegExp(text);
		return true;
	} catch {
		return false;
	}
}
