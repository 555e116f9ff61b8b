import type { Address } from "#core/chain/Hex.ts";
import { DAY_MS } from "#core/time/units.ts";
import type { Channel, Profile, SpendLimits, Wallet } from "#plugins/wallets/contract.ts";
import { isThirdParty } from "#plugins/wallets/spend/isThirdParty.ts";

/** Microdollars; what nobody set otherwise. */
export type DefaultLimits = SpendLimits & {
	/** Of what comes through social posts and messages, by trade and by day. */
	socialUsdMicros: bigint;
};

/** Somebody new gets nothing of what a post says before its author had a day to see it. */
const SOCIAL_COOLDOWN_MS = DAY_MS;

/** Returns the least of what the profile, its wallet, the channel and the deployment allow. */
export function limitsInForce(
	defaults: DefaultLimits,
	by: { profile: Profile; wallet: Wallet; channel: Channel; recipient: Address | null },
): SpendLimits {
	const { profile, wallet, channel, recipient } = by;
	const social = channel === "social" ? defaults.socialUsdMicros : null;
	return {
		perTradeUsdMicros: least(defaults.perTradeUsdMicros, profile.perTradeUsdMax, social),
		walletNotionalUsdMicros: least(defaults.walletNotionalUsdMicros, wallet.notionalUsdMax),
		dailyUsdMicros: least(defaults.dailyUsdMicros, profile.dailyUsdMax, social),
		recipientCooldownMs:
			channel === "social" && isThirdParty(recipient, profile)
				? Math.max(defaults.recipientCooldownMs, SOCIAL_COOLDOWN_MS)
				: defaults.recipientCooldownMs,
	};
}

function least(first: bigint, ...others: (bigint | null)[]): bigint {
	return others.reduce<bigint>((low, one) => (one !== null && one < low ? one : low), first);
}
