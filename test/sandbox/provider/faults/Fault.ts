import { z } from "zod";
import { MINUTE_MS } from "#core/time/units.ts";
import { RACE_KINDS } from "./raceBuyer.ts";

const GIB_BYTES = 1_073_741_824;

/** The kinds of faults of a provider: of answers, then three of the stream, then of sellers. */
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

/** One ordered fault, as POST /_sandbox/faults takes it. */
export const Fault = z.object({
	/** The paths that it affects, as a pattern of path and query; without it all. */
	path: z.string().max(200).refine(isPattern, "is no regular expression").optional(),
	kind: z.enum(FAULT_KINDS),
	/** How often; without it always. */
	times: z.int().min(1).optional(),
	/** Seconds or an HTTP date, sent unchanged; for 429 and 599. */
	retryAfter: z.union([z.string(), z.number()]).optional(),
	/** Replaces the usual status of `html` (200) and `500`. */
	status: z.int().min(200).max(599).optional(),
	/** The delay of a slow answer. */
	delayMs: z.int().min(0).max(MINUTE_MS).optional(),
	/** The size of a huge answer. */
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
