import { bytesOf } from "#core/chain/bytesOf.ts";
import type { Tx } from "#core/db/Database.ts";
import type { UnitsAdded } from "#plugins/market-index/owners/UnitsAdded.ts";

/** Journals sums of units. */
export async function keepUnits(
	tx: Tx,
	chainId: number,
	added: readonly UnitsAdded[],
): Promise<void> {
	if (added.length === 0) return;
	await tx.execute(
		`insert into market_index.units_added
			(chain_id, block, set_id, token_id, owner, units)
		select $1, * from unnest($2::int8[], $3::int4[], $4::numeric[], $5::bytea[], $6::numeric[])`,
		[
			chainId,
			added.map(({ block }) => block),
			added.map(({ setId }) => setId),
			added.map(({ tokenId }) => tokenId),
			added.map(({ owner }) => bytesOf(owner)),
			added.map(({ units }) => units),
		],
	);
}
