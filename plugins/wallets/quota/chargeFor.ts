import { assert } from "#core/fault/assert.ts";
import type { IntentQuota } from "#plugins/wallets/quota/IntentQuota.ts";
import type { QuotaCharge } from "#plugins/wallets/quota/quotaSql.ts";

/**
 * What recording is charged with: one for each intent, and one for a row of a plugin's own that
 * comes without any, to the one profile that all of it is of.
 */
export function chargeFor(
	{ settings }: { settings: { quota: IntentQuota } },
	made: {
		intents: readonly { profile: { id: string } }[];
		times: { at: Date };
		profileId: string;
	},
): QuotaCharge {
	const { intents, times, profileId } = made;
	const isOnes = intents.every(({ profile }) => profile.id === profileId);
	assert(isOnes, "what is recorded together is one profile's");
	return { profileId, at: times.at, amount: Math.max(1, intents.length), quota: settings.quota };
}
