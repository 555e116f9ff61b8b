import type { Channel, Profile, SpendLimits, Wallet } from "#plugins/wallets/contract.ts";

/** Microdollars; what nobody set otherwise. */
export type DefaultLimits = {
	perTradeUsdMicros: bigint;
	walletNotionalUsdMicros: bigint;
	dailyUsdMicros: bigint;
	/** Of what comes through social posts and messages, by trade and by day. */
	socialUsdMicros: bigint;
	recipientCooldownMs: number;
};

/** The least of what the profile, its wallet, the channel and the deployment allow. */
export function limitsInForce(
	defaults: DefaultLimits,
	by: { profile: Profile; wallet: Wallet; channel: Channel },
): SpendLimits {
	const { profile, wallet, channel } = by;
	const social = channel === "social" ? defaults.socialUsdMicros : null;
	return {
		perTradeUsdMicros: least(defaults.perTradeUsdMicros, profile.perTradeUsdMax, social),
		walletNotionalUsdMicros: least(defaults.walletNotionalUsdMicros, wallet.notionalUsdMax),
		dailyUsdMicros: least(defaults.dailyUsdMicros, profile.dailyUsdMax, social),
		recipientCooldownMs: defaults.recipientCooldownMs,
	};
}

function least(first: bigint, ...others: (bigint | null)[]): bigint {
	return others.reduce<bigint>((low, one) => (one !== null && one < low ? one : low), first);
}
