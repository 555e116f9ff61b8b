import { z } from "zod";
import { MINUTE_MS } from "#core/time/units.ts";

/** The ways in which a language model, or who serves it, goes wrong. */
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
] as const;

/** One order to misbehave, as POST /_sandbox/faults takes it. */
export const ModelFault = z.object({
	kind: z.enum(MODEL_FAULT_KINDS),
	/** How often; for ever without it. */
	times: z.int().min(1).optional(),
	/** Of `status` (500). */
	status: z.int().min(200).max(599).optional(),
	/** How slow (3 s). */
	delayMs: z.int().min(0).max(MINUTE_MS).optional(),
	/** Of `endless`: how many tokens its answer has (10,000). */
	tokens: z.int().min(1).max(1_000_000).optional(),
	/** Of `hostile`: the command that it answers whatever was asked. */
	command: z.string().max(1_000).optional(),
});
export type ModelFault = z.output<typeof ModelFault>;
