import { z } from "zod";
import { MINUTE_MS } from "#core/time/units.ts";

/** The kinds of faults of a language model, or of its server. */
export const MODEL_FAULT_KINDS = [
	"status",
	"silence",
	"slow",
	"html",
	"truncated",
	"broken_json",
	"wrong_shape",
	"endless",
	"lying",
	"hostile",
	"parrot",
] as const;

/** One ordered fault, as POST /_sandbox/faults takes it. */
export const ModelFault = z.object({
	kind: z.enum(MODEL_FAULT_KINDS),
	/** How often; without it always. */
	times: z.int().min(1).optional(),
	/** For `status` (500). */
	status: z.int().min(200).max(599).optional(),
	/** The delay (3 s). */
	delayMs: z.int().min(0).max(MINUTE_MS).optional(),
	/** For `endless`: how many tokens its answer has (10,000). */
	tokens: z.int().min(1).max(1_000_000).optional(),
	/** For `hostile`: the command that it answers to every question. */
	command: z.string().max(1_000).optional(),
});
export type ModelFault = z.output<typeof ModelFault>;
