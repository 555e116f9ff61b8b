import type { Fault } from "#core/fault/Fault.ts";
import { providerFault } from "#plugins/provider/faults.ts";
import { PROVIDER_ID } from "#plugins/provider/limits.ts";

/** What refuses a call: the provider with its 429, or our own pace before it was sent. */
export type RefusedBy = "provider" | "pace";

/**
 * Returns the Fault of a refused call, with the time to wait; `detail` is for the log. `meta` says
 * what refused it: a pause after a 429 must not follow from our own limits.
 */
export function tooOften(
	retryAfterMs: number,
	{ detail, refusedBy }: { detail: string; refusedBy: RefusedBy },
): Fault {
	const seconds = Math.ceil(retryAfterMs / 1_000);
	return providerFault.rateLimited({
		public: `The marketplace provider is being asked too often. Try again in ${seconds} s.`,
		detail,
		meta: { refusedBy },
		members: { provider: PROVIDER_ID, retryAfterMs: Math.ceil(retryAfterMs) },
	});
}
