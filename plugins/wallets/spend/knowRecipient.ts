import { hexToBytes } from "viem";
import type { Address } from "#core/chain/Hex.ts";
import type { Tx } from "#core/db/Database.ts";

/**
 * How long a profile knows a recipient, in milliseconds. Asking makes it known: a cooldown begins
 * with the first attempt, which is when its owner hears of it.
 */
export async function knowRecipient(
	tx: Tx,
	{ profileId, recipient, at }: { profileId: string; recipient: Address; at: Date },
): Promise<number> {
	const rows = await tx.query<{ first_seen_at: Date }>(
		`insert into wallets.recipient as known (profile_id, address, first_seen_at)
		values ($1, $2, $3)
		on conflict (profile_id, address) do update set first_seen_at = known.first_seen_at
		returning first_seen_at`,
		[profileId, hexToBytes(recipient), at],
	);
	return at.getTime() - (rows[0]?.first_seen_at.getTime() ?? at.getTime());
}
