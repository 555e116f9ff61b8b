import type { Profile, Wallet } from "#plugins/wallets/contract.ts";
import type { EnrolledUser, EnrolledWallet } from "#plugins/wallets/enrolment/readEnrolledUser.ts";

/** What a profile must become. Empty where it is that already. */
export type EnrolmentPlan = {
	/** Undefined: stays. */
	social: { userId: string; username: string | null } | null | undefined;
	added: readonly EnrolledWallet[];
	changed: readonly { wallet: Wallet; to: Omit<EnrolledWallet, "address"> }[];
};

/**
 * Says what differs between a profile and what the wallet provider says of its owner.
 *
 * What an operator wants to look at (`review-required`) is not cleared by signing in.
 */
export function planEnrolment(profile: Profile, user: EnrolledUser): EnrolmentPlan {
	const byAddress = new Map(user.wallets.map((wallet) => [wallet.address, wallet]));
	const known = new Set(profile.wallets.map(({ address }) => address));
	const added = user.wallets.filter(({ address }) => !known.has(address));
	const changed = profile.wallets.flatMap((wallet) => {
		const to = destinyOf(wallet, byAddress.get(wallet.address));
		const isSame =
			to.capability === wallet.capability && to.providerWalletId === wallet.providerWalletId;
		return isSame ? [] : [{ wallet, to }];
	});
	const { social } = user;
	const isKnown =
		(social?.userId ?? null) === profile.socialUserId &&
		(social?.username ?? null) === profile.socialUsername;
	return { social: isKnown ? undefined : social, added, changed };
}

function destinyOf(
	wallet: Wallet,
	enrolled: EnrolledWallet | undefined,
): Omit<EnrolledWallet, "address"> {
	const { capability, providerWalletId } = wallet;
	const stays = { capability, providerWalletId };
	if (capability === "review-required") return stays;
	if (enrolled) {
		return { capability: enrolled.capability, providerWalletId: enrolled.providerWalletId };
	}
	// One that its owner proved here by signing is theirs whatever the provider lists.
	return providerWalletId === null ? stays : { capability: "disabled", providerWalletId };
}
