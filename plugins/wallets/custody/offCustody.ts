import type { Custody } from "#plugins/wallets/custody/Custody.ts";
import { custodyFault } from "#plugins/wallets/custody/faults.ts";

/**
 * The wallet provider of a deployment that configured none. Sending is refused and not thrown: who
 * sends has to hear what is known, and here it is that nothing left.
 */
export const offCustody: Custody = {
	isOn: false,
	async send() {
		const { code, publicDetail } = custodyFault.off();
		return { kind: "refused", code, detail: publicDetail };
	},
	byReference: off,
	byId: off,
	signMessage: off,
	signTypedData: off,
	user: off,
	wallet: off,
	verifyAccessToken: off,
};

async function off(): Promise<never> {
	throw custodyFault.off();
}
