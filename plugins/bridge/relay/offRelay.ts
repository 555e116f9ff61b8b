import { relayFault } from "#plugins/bridge/relay/faults.ts";
import type { Relay } from "#plugins/bridge/relay/Relay.ts";

const nothing = async (): Promise<[]> => [];
const isOff = async (): Promise<never> => {
	throw relayFault.off();
};

/** The bridge provider of a deployment that has none: no chain leads anywhere. */
export const offRelay: Relay = {
	canSearch: false,
	chains: nothing,
	currencies: nothing,
	quote: isOff,
	permit: isOff,
	status: isOff,
	search: isOff,
	hint: isOff,
};
