import type { Audit } from "#core/audit/Audit.ts";
import type { Address } from "#core/chain/Hex.ts";
import type { Tx } from "#core/db/Database.ts";
import type { Profile } from "#plugins/wallets/contract.ts";
import { walletsFault } from "#plugins/wallets/faults.ts";
import { WALLETS_PER_PROFILE_MAX } from "#plugins/wallets/limits.ts";
import { chooseCanonical } from "#plugins/wallets/profile/chooseCanonical.ts";
import { requireProfile } from "#plugins/wallets/profile/requireProfile.ts";
import { lockIdentity } from "#plugins/wallets/profile/sql/lockIdentity.ts";
import { profileRows } from "#plugins/wallets/profile/sql/profileRows.ts";
import { walletRows } from "#plugins/wallets/profile/sql/walletRows.ts";

export type SignedWallet = {
	address: Address;
	/** The profile that is to get it; null: whoever has it, else a new one. */
	linkTo: string | null;
};

/** Whose a wallet is that somebody has just signed with. A new one is theirs from now on. */
export async function profileOfWallet(
	tx: Tx,
	{ address, linkTo }: SignedWallet,
	context: { audit: Audit; newId: () => string; homeChainId: number; now: Date },
): Promise<Profile> {
	await lockIdentity(tx);
	const [holder] = await walletRows.holdersOf(tx, { addresses: [address], providerWalletIds: [] });
	if (holder) {
		if (linkTo !== null && holder.profileId !== linkTo) throw walletsFault.walletLinkedElsewhere();
		return requireProfile(tx, holder.profileId);
	}
	const { audit, newId, homeChainId: chainId, now } = context;
	const profileId = linkTo ?? newId();
	if (linkTo === null) await profileRows.insert(tx, { id: profileId, providerUserId: null, now });
	await profileRows.lock(tx, profileId);
	const before = await requireProfile(tx, profileId);
	if (before.wallets.length >= WALLETS_PER_PROFILE_MAX) throw walletsFault.walletsTooMany();
	const wallet = { id: newId(), capability: "external/manual", providerWalletId: null } as const;
	await walletRows.insert(tx, { ...wallet, profileId, address, chainId, now });
	const canonical = chooseCanonical([...before.wallets, wallet], before.canonicalWalletId);
	await profileRows.setCanonical(tx, profileId, canonical);
	await profileRows.touch(tx, profileId);
	await audit.append(tx, {
		actor: `profile:${profileId}`,
		action: linkTo === null ? "wallets.profile.created" : "wallets.wallet.linked",
		subject: `wallet:${wallet.id}`,
		detail: { address, by: "signature" },
	});
	return requireProfile(tx, profileId);
}
