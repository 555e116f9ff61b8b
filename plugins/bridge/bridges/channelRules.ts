import type { Address } from "#core/chain/Hex.ts";
import type { Channel, Denial } from "#plugins/wallets/contract.ts";

/** Holds the two switches of operators: bridging at all, and bridging by posts and messages. */
export type Switches = { isOn: boolean; isSocialOn: boolean };

/** Says why no step of a bridge may be sent, by the channel that it came through; null: it may. */
export function switchDenial({ isOn, isSocialOn }: Switches, channel: Channel): Denial | null {
	if (!isOn) {
		return { code: "bridging_disabled", detail: "Bridging is turned off here (ENABLE_BRIDGING)." };
	}
	if (channel !== "social" || isSocialOn) return null;
	return {
		code: "bridging_disabled",
		detail: "Bridging by posts and messages is turned off here (ENABLE_SOCIAL_BRIDGING).",
	};
}

/**
 * Tells whether the owner has to say yes by a link, whatever their profile says. A post may be one
 * that its author was talked into: on the social channel every bridge is asked about that pays or
 * refunds an address that is no wallet of the profile's.
 */
export function mustAsk(
	{ asks, channel }: { asks: boolean; channel: Channel },
	{ recipient, refundTo }: { recipient: Address; refundTo: Address },
	wallets: readonly { address: Address }[],
): boolean {
	const own = new Set(wallets.map(({ address }) => address));
	return asks || (channel === "social" && !(own.has(recipient) && own.has(refundTo)));
}
