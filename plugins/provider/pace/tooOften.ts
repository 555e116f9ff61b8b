import type { Fault } from "#core/fault/Fault.ts";
import { providerFault } from "#plugins/provider/faults.ts";
import { PROVIDER_ID } from "#plugins/provider/limits.ts";

/** Says who is asked too often, and when it may be asked again; `detail` is for the log. */
export function tooOften(retryAfterMs: number, detail: string): Fault {
	const seconds = Math.ceil(retryAfterMs / 1_000);
	return providerFault.rateLimited({
		public: `The marketplace provider is being asked too often. Try again in ${seconds} s.`,
		detail,
		members: { provider: PROVIDER_ID, retryAfterMs: Math.ceil(retryAfterMs) },
	});
}
