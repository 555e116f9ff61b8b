import type { Address } from "#core/chain/Hex.ts";
import type { Profile } from "#plugins/wallets/contract.ts";

/**
 * Whether money would go to somebody else's address; false where nobody is named, and for a wallet
 * of the profile's own. A post that names somebody else's may be one that its author was talked
 * into: on the social channel that always asks by a link.
 */
export function isThirdParty(recipient: Address | null, { wallets }: Profile): boolean {
	if (recipient === null) return false;
	const wanted = recipient.toLowerCase();
	return wallets.every(({ address }) => address.toLowerCase() !== wanted);
}
