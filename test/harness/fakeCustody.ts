import type { Custody } from "#plugins/custody/contract.ts";
import { custodyFault } from "#plugins/custody/faults.ts";
import { offCustody } from "#plugins/custody/openCustody.ts";

/** Returns a wallet provider that does what a test says; all else it refuses, as if it were off. */
export function fakeCustody(does: Partial<Custody> = {}): Custody {
	return { ...offCustody, isOn: true, ...does };
}

/** Makes the faults of a wallet provider that does not answer, or that says no. */
export const custodyFaults = {
	silent: () => custodyFault.unavailable(),
	no: () => custodyFault.refused(),
};
