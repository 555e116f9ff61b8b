import type { Tx } from "#core/db/Database.ts";

export type SupplyChange = {
	setId: number;
	owners: number;
	minted: bigint;
	burned: bigint;
};

/** Adds to the counts of owners and of minted and destroyed units, by the unique set. */
export async function addSupply(tx: Tx, changes: readonly SupplyChange[]): Promise<void> {
	if (changes.length === 0) return;
	await tx.execute(
		`update market_index.ownership as kept set
			owners = kept.owners + given.owners,
			minted = kept.minted + given.minted,
			burned = kept.burned + given.burned
		from unnest($1::int4[], $2::int8[], $3::numeric[], $4::numeric[])
			as given (id, owners, minted, burned)
		where kept.set_id = given.id`,
		[
			changes.map(({ setId }) => setId),
			changes.map(({ owners }) => owners),
			changes.map(({ minted }) => minted),
			changes.map(({ burned }) => burned),
		],
	);
}
