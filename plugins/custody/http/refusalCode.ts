import { z } from "zod";
import { UNSENT_CODES } from "#plugins/custody/http/unsentCodes.ts";

const refusalSchema = z.object({
	error: z.string(),
	code: z.string().optional().catch(undefined),
});

/** Codes of the provider's that we know by name; every other one is `unlisted`. */
const LISTED: ReadonlySet<string> = new Set([...UNSENT_CODES, "transaction_broadcast_failure"]);

/**
 * Returns the code of a refusal in the provider's own form: `unlisted` where it has none that we
 * know, null where the answer is no refusal of the provider's. Its sentence is not kept: it may
 * quote what we sent, and what we sent is signed.
 */
export function refusalCode(json: unknown): string | null {
	const { data } = refusalSchema.safeParse(json);
	if (data === undefined) return null;
	return data.code !== undefined && LISTED.has(data.code) ? data.code : "unlisted";
}
