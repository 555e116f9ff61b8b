import type { Fault } from "#core/fault/Fault.ts";
import { providerFault } from "#plugins/provider/faults.ts";
import { PROVIDER_ID } from "#plugins/provider/limits.ts";

/** Who refuses a call: the provider with its 429, or our own pace before it was sent. */
export type RefusedBy = "provider" | "pace";

/**
 * Says who is asked too often, and when it may be asked again; `detail` is for the log. `meta` says
 * who refused: whoever has to pause after a 429 must not do so for our own limits.
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
