import type { z } from "zod";
import type { Profile } from "#plugins/wallets/contract.ts";
import type { profileSchema } from "#plugins/wallets/profile/profileSchema.ts";
import { usdText } from "#plugins/wallets/profile/usdText.ts";

/** Renders a profile for its owner: nothing of what the wallet provider calls them or keys. */
export function renderProfile(profile: Profile): z.input<typeof profileSchema> {
	const { socialUserId, socialUsername, canonicalWalletId } = profile;
	const usd = (micros: bigint | null) => (micros === null ? null : usdText.of(micros));
	return {
		id: profile.id,
		social: socialUserId === null ? null : { userId: socialUserId, username: socialUsername },
		canonicalWalletId,
		requireTradeConfirmation: profile.requireTradeConfirmation,
		perTradeUsdMax: usd(profile.perTradeUsdMax),
		dailyUsdMax: usd(profile.dailyUsdMax),
		wallets: profile.wallets.map((wallet) => ({
			id: wallet.id,
			address: wallet.address,
			chainId: wallet.chainId,
			capability: wallet.capability,
			isCanonical: wallet.id === canonicalWalletId,
			notionalUsdMax: usd(wallet.notionalUsdMax),
		})),
	};
}
