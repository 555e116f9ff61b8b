import type { Tx } from "#core/db/Database.ts";

/**
 * Stores the token standard that the provider states, where no log of the contract has shown one:
 * the provider's lists name contracts without it. Ranks of units are removed, as units are no
 * tokens to compare.
 */
export async function storeProviderStandard(
	tx: Tx,
	{ collectionId, standard }: { collectionId: number; standard: "erc721" | "erc1155" },
): Promise<void> {
	await tx.execute(
		`with changed as (
			update market_index.collection as c set standard = $2
			where id = $1 and standard <> $2 and not exists (
				select from market_index.event where collection_id = $1 and onchain_verified
			)
			returning id
		)
		update market_index.token as t set rank = null
		from changed where t.collection_id = changed.id and t.rank is not null and $2 = 'erc1155'`,
		[collectionId, standard],
	);
}
