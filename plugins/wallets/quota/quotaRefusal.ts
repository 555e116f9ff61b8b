import type { Queryable } from "#core/db/Database.ts";
import type { Fault } from "#core/fault/Fault.ts";
import { SECOND_MS } from "#core/time/units.ts";
import { quotaFault } from "#plugins/wallets/quota/faults.ts";
import type { QuotaCharge } from "#plugins/wallets/quota/quotaSql.ts";

/** The refusal of a charge, with the time after which the same charge would be met. */
export async function quotaRefusal(
	db: Queryable,
	{ profileId, at, amount, quota }: QuotaCharge,
): Promise<Fault> {
	const [row] = await db.query<{ tokens: number; at: Date }>(
		"select tokens, at from wallets.intent_quota where profile_id = $1",
		[profileId],
	);
	const missing = amount - (row?.tokens ?? 0);
	const savedMs = row ? Math.max(0, at.getTime() - row.at.getTime()) : 0;
	const retryAfterMs = Math.ceil((missing / quota.perSecond) * SECOND_MS - savedMs);
	return quotaFault.intentQuota({
		members: { retryAfterMs: Math.max(SECOND_MS, retryAfterMs) },
		meta: { profileId },
	});
}
