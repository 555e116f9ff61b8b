import type { ProviderCallOptions } from "#plugins/provider/contract.ts";
import { BACKGROUND_UNDER_WAY_MAX, CALLS_UNDER_WAY_MAX } from "#plugins/provider/limits.ts";

type Purpose = ProviderCallOptions["purpose"];

/** Room for calls under way, each of which may hold a whole body in memory. */
export type Places = {
	has(purpose: Purpose): boolean;
	/** Takes one; the answer gives it back, once. */
	take(purpose: Purpose): () => void;
};

export function createPlaces(): Places {
	const taken = { request: 0, background: 0 };
	return {
		has(purpose) {
			if (taken.request + taken.background >= CALLS_UNDER_WAY_MAX) return false;
			return purpose === "request" || taken.background < BACKGROUND_UNDER_WAY_MAX;
		},
		take(purpose) {
			const kind = purpose === "request" ? "request" : "background";
			taken[kind]++;
			let isTaken = true;
			return () => {
				if (isTaken) taken[kind]--;
				isTaken = false;
			};
		},
	};
}
