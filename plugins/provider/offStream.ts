import type { ProviderStream } from "#plugins/provider/contract.ts";

/** The stream where there is none: nothing is ever pushed, and nothing can be missed. */
export const offStream: ProviderStream = {
	state: () => "off",
	follow() {},
	onPushes() {},
	onGap() {},
};
