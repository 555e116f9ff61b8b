import { relayFault } from "#plugins/bridge/relay/faults.ts";
import type { Relay } from "#plugins/bridge/relay/Relay.ts";

const isOff = async (): Promise<never> => {
	throw relayFault.off();
};

/** The bridge provider of a deployment that has none: each question says so. */
export const offRelay: Relay = {
	canSearch: false,
	chains: isOff,
	currencies: isOff,
	quote: isOff,
	status: isOff,
	search: isOff,
	hint: isOff,
};
