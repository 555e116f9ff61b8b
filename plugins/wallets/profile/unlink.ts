import type { Audit } from "#core/audit/Audit.ts";
import type { Tx } from "#core/db/Database.ts";
import type { Profile } from "#plugins/wallets/contract.ts";
import { walletsFault } from "#plugins/wallets/faults.ts";
import { chooseCanonical } from "#plugins/wallets/profile/chooseCanonical.ts";
import {
	lockIdentity,
	noteChange,
	requireProfile,
} from "#plugins/wallets/profile/requireProfile.ts";
import { profileRows } from "#plugins/wallets/profile/sql/profileRows.ts";
import { walletRows } from "#plugins/wallets/profile/sql/walletRows.ts";

export type UnlinkContext = { profileId: string; audit: Audit; nowMs: number };

/**
 * Takes the social account or one wallet from its profile. From the commit on nothing typed there,
 * and nothing signed by it, acts for this profile.
 */
export const unlink = {
	async social(tx: Tx, context: UnlinkContext): Promise<Profile> {
		const before = await lockProfile(tx, context.profileId);
		if (before.socialUserId === null) return before;
		await profileRows.unlinkSocial(tx, before.id);
		return noteChange(tx, context.audit, {
			profileId: before.id,
			action: "wallets.social.unlinked",
			detail: { socialUserId: before.socialUserId },
		});
	},

	async wallet(tx: Tx, walletId: string, context: UnlinkContext): Promise<Profile> {
		const before = await lockProfile(tx, context.profileId);
		const wallet = before.wallets.find(({ id }) => id === walletId);
		if (!wallet) throw walletsFault.notFound();
		const left = before.wallets.filter(({ id }) => id !== wallet.id);
		await walletRows.remove(tx, wallet.id, new Date(context.nowMs));
		const canonicalWalletId = chooseCanonical(left, before.canonicalWalletId);
		await profileRows.setCanonical(tx, before.id, canonicalWalletId);
		return noteChange(tx, context.audit, {
			profileId: before.id,
			action: "wallets.wallet.unlinked",
			walletId: wallet.id,
			detail: { address: wallet.address, capability: wallet.capability, canonicalWalletId },
		});
	},
};

async function lockProfile(tx: Tx, profileId: string): Promise<Profile> {
	await lockIdentity(tx);
	await profileRows.lock(tx, profileId);
	return requireProfile(tx, profileId);
}
