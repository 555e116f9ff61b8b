import { z } from "zod";
import { MINUTE_MS } from "#core/time/units.ts";

const GIB_BYTES = 1_073_741_824;

/** The ways in which a wallet provider goes wrong. */
export const CUSTODY_FAULT_KINDS = [
	"status",
	"silence",
	"slow",
	"html",
	"truncated",
	"wrong_types",
	"huge",
	"late_broadcast",
	"twice",
	"other_hash",
	"odd_hash",
	"other_chain",
	"other_reference",
	"empty_lookup",
	"claims",
	"odd_values",
	"webhook_never",
	"webhook_late",
	"webhook_twice",
	"webhook_replay",
	"webhook_swapped",
	"webhook_forged",
	"webhook_lie",
] as const;

/** One order to misbehave, as POST /_sandbox/faults takes it. */
export const CustodyFault = z.object({
	/**
	 * Which calls, as a pattern over `METHOD /path?query`; of webhooks, over `WEBHOOK transaction.x`.
	 * All without it.
	 */
	path: z.string().max(200).refine(isPattern, "is no regular expression").optional(),
	/** Only calls about this wallet or about a transaction of it, by its id at the provider. */
	wallet: z.string().max(100).optional(),
	kind: z.enum(CUSTODY_FAULT_KINDS),
	/** Whether it goes wrong before anything is done, or when all is done and only told wrongly. */
	when: z.enum(["before", "after"]).default("before"),
	/** How often; for ever without it. */
	times: z.int().min(1).optional(),
	/** Of `status` (500), `html` (200) and `claims` (200: it says that it sent). */
	status: z.int().min(200).max(599).optional(),
	/** The provider's code beside its sentence, of `status` and `claims`. */
	code: z.string().max(100).optional(),
	retryAfter: z.union([z.string(), z.number()]).optional(),
	/** How slow, how late. */
	delayMs: z.int().min(0).max(MINUTE_MS).optional(),
	/** Of `late_broadcast`: also when the request has expired meanwhile. */
	pastExpiry: z.boolean().optional(),
	/** Of `claims`: whether the transaction is really broadcast. */
	sends: z.boolean().optional(),
	/** Of `claims`: which hash is named, of this transaction, of nobody's or of the one before it. */
	hash: z.enum(["own", "nobodys", "previous", "none"]).optional(),
	/** Of `claims`: what its list says of the transaction from then on; `nothing`: no such row. */
	listed: z.enum(["broadcasted", "pending", "failed", "provider_error", "nothing"]).optional(),
	/** Of `claims`: the list says so also after the faults were cleared. */
	lasting: z.boolean().optional(),
	/** Of `odd_values`: what stands in place of each number and text of the answer. */
	value: z.union([z.string().max(100), z.number(), z.boolean(), z.null()]).optional(),
	/** What is told in place of the truth, of `webhook_lie` (`failed`). */
	says: z
		.string()
		.regex(/^\w{1,40}$/)
		.optional(),
	/** How huge. */
	bytes: z.int().min(1).max(GIB_BYTES).optional(),
});
export type CustodyFault = z.output<typeof CustodyFault>;
export type CustodyFaultOrder = z.input<typeof CustodyFault>;

function isPattern(text: string): boolean {
	try {
		new RegExp(text);
		return true;
	} catch {
		return false;
	}
}
