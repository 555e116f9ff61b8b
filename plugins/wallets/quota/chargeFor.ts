import { assert } from "#core/fault/assert.ts";
import type { IntentQuota } from "#plugins/wallets/quota/IntentQuota.ts";
import type { QuotaCharge } from "#plugins/wallets/quota/quotaSql.ts";

/** What recording intents is charged with: one for each, to the one profile that they are of. */
export function chargeFor(
	{ settings }: { settings: { quota: IntentQuota } },
	{ intents, times }: { intents: readonly { profile: { id: string } }[]; times: { at: Date } },
): QuotaCharge {
	const profileId = intents[0]?.profile.id ?? "";
	const isOnes = intents.every(({ profile }) => profile.id === profileId);
	assert(isOnes, "what is recorded together is one profile's");
	return { profileId, at: times.at, amount: intents.length, quota: settings.quota };
}
