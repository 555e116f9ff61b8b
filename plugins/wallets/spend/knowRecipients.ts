import { hexToBytes } from "viem";
import type { Address } from "#core/chain/Hex.ts";
import type { Tx } from "#core/db/Database.ts";

const knowSql = `insert into wallets.recipient as known (profile_id, address, first_seen_at)
	select $1, address, $3 from unnest($2::bytea[]) as t (address)
	on conflict (profile_id, address) do update set first_seen_at = known.first_seen_at
	returning '0x' || encode(address, 'hex') as address, first_seen_at as "firstSeenAt"`;

/**
 * How long a profile knows each recipient, in milliseconds; null where there is none. Asking makes
 * them known: a cooldown begins with the first attempt, which is when its owner hears of it.
 */
export async function knowRecipients(
	tx: Tx,
	given: { profileId: string; recipients: readonly (Address | null)[]; at: Date },
): Promise<(number | null)[]> {
	const { profileId, recipients, at } = given;
	const asked = [...new Set(recipients.flatMap((one) => one ?? []))];
	if (asked.length === 0) return recipients.map(() => null);
	const rows = await tx.query<{ address: Address; firstSeenAt: Date }>(knowSql, [
		profileId,
		asked.map((one) => hexToBytes(one)),
		at,
	]);
	const since = new Map(rows.map(({ address, firstSeenAt }) => [address, firstSeenAt.getTime()]));
	return recipients.map((one) => {
		return one && at.getTime() - (since.get(one) ?? at.getTime());
	});
}
