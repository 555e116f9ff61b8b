import type { ProviderStream } from "#plugins/provider/contract.ts";

/** The stream where none is to be had: nothing is ever pushed, and nothing can be missed. */
export const offStream: ProviderStream = {
	state: () => "off",
	follow() {},
	onPushes() {},
	onGap() {},
};
