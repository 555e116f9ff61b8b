import { z } from "zod";
import { MINUTE_MS } from "#core/time/units.ts";

const GIB_BYTES = 1_073_741_824;

/** The kinds of faults of a wallet provider. */
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

/** One ordered fault, as POST /_sandbox/faults takes it. */
export const CustodyFault = z.object({
	/**
	 * The calls that it affects, as a pattern of `METHOD /path?query`; for webhooks, of `WEBHOOK
	 * transaction.x`. Without it all.
	 */
	path: z.string().max(200).refine(isPattern, "is no regular expression").optional(),
	/** Only calls about this wallet or a transaction of it, by its id at the provider. */
	wallet: z.string().max(100).optional(),
	kind: z.enum(CUSTODY_FAULT_KINDS),
	/** Whether it fails before anything is done, or does the work and answers wrongly. */
	when: z.enum(["before", "after"]).default("before"),
	/** How often; without it always. */
	times: z.int().min(1).optional(),
	/** For `status` (500), `html` (200) and `claims` (200: it claims that it sent). */
	status: z.int().min(200).max(599).optional(),
	/** The provider's code beside its message, for `status` and `claims`. */
	code: z.string().max(100).optional(),
	retryAfter: z.union([z.string(), z.number()]).optional(),
	/** The delay of slow or late answers. */
	delayMs: z.int().min(0).max(MINUTE_MS).optional(),
	/** For `late_broadcast`: also after the request has expired. */
	pastExpiry: z.boolean().optional(),
	/** For `claims`: whether the transaction is really broadcast. */
	sends: z.boolean().optional(),
	/**
	 * For `claims`: which hash it names: this transaction's, an unknown one, or the previous one's.
	 */
	hash: z.enum(["own", "nobodys", "previous", "none"]).optional(),
	/** For `claims`: what its list shows of the transaction from then on; `nothing`: no row. */
	listed: z.enum(["broadcasted", "pending", "failed", "provider_error", "nothing"]).optional(),
	/** For `claims`: the list still shows it after the faults are cleared. */
	lasting: z.boolean().optional(),
	/** For `odd_values`: what replaces each number and text of the answer. */
	value: z.union([z.string().max(100), z.number(), z.boolean(), z.null()]).optional(),
	/** For `webhook_lie`: the false status (`failed`). */
	says: z
		.string()
		.regex(/^\w{1,40}$/)
		.optional(),
	/** For `huge`: the size in bytes. */
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
