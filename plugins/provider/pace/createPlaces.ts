import type { ProviderPurpose } from "#plugins/provider/contract.ts";
import { BACKGROUND_UNDER_WAY_MAX, CALLS_UNDER_WAY_MAX } from "#plugins/provider/limits.ts";
import { isBackground } from "#plugins/provider/pace/isBackground.ts";

/** Places for calls under way, each of which may hold a whole body in memory. */
export type Places = {
	has(purpose: ProviderPurpose): boolean;
	/** Takes a place; the returned function gives it back, once. */
	take(purpose: ProviderPurpose): () => void;
};

export function createPlaces(): Places {
	const taken = { request: 0, background: 0 };
	return {
		has(purpose) {
			if (taken.request + taken.background >= CALLS_UNDER_WAY_MAX) return false;
			return !isBackground(purpose) || taken.background < BACKGROUND_UNDER_WAY_MAX;
		},
		take(purpose) {
			const kind = isBackground(purpose) ? "background" : "request";
			taken[kind]++;
			let isTaken = true;
			return () => {
				if (isTaken) taken[kind]--;
				isTaken = false;
			};
		},
	};
}
