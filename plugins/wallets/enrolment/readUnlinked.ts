import type { Address } from "#core/chain/Hex.ts";
import type { Tx } from "#core/db/Database.ts";
import { walletRows } from "#plugins/wallets/profile/sql/walletRows.ts";

export type Unlinked = { addresses: ReadonlySet<Address>; socialUserId: string | null };

/** What a profile's owner unlinked here. */
export async function readUnlinked(tx: Tx, profileId: string): Promise<Unlinked> {
	const rows = await tx.query<{ socialUserId: string | null }>(
		`select social_unlinked_id as "socialUserId" from wallets.profile where id = $1`,
		[profileId],
	);
	return {
		addresses: await walletRows.removedOf(tx, profileId),
		socialUserId: rows[0]?.socialUserId ?? null,
	};
}
