import type { Tx } from "#core/db/Database.ts";
import type { IntentQuota } from "#plugins/wallets/quota/IntentQuota.ts";

/**
 * Charges a profile for intents that were refused, on top of what asking for them cost; at most to
 * a whole burst below nothing, so that nobody waits for longer than saving two bursts takes.
 */
export async function chargeRefused(
	tx: Tx,
	{ profileId, refused, quota }: { profileId: string; refused: number; quota: IntentQuota },
): Promise<void> {
	if (quota.refusedCost === 0) return;
	await tx.execute(
		`update wallets.intent_quota set tokens = greatest(tokens - $2::float8, $3::float8)
		where profile_id = $1`,
		[profileId, refused * quota.refusedCost, -quota.burst],
	);
}
