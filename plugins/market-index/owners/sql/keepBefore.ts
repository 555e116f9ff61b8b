import { bytesOf } from "#core/chain/bytesOf.ts";
import type { Tx } from "#core/db/Database.ts";
import { blockOfPosition } from "#plugins/market-index/owners/blockOfPosition.ts";
import type { OwnedBefore } from "#plugins/market-index/owners/OwnedBefore.ts";

/** Journals replaced spans, under the block of the transfer that replaced them. */
export async function keepBefore(
	tx: Tx,
	chainId: number,
	before: readonly OwnedBefore[],
): Promise<void> {
	if (before.length === 0) return;
	await tx.execute(
		`insert into market_index.span_before
			(chain_id, block, set_id, from_id, to_id, owner, position)
		select $1, * from unnest(
			$2::int8[], $3::int4[], $4::numeric[], $5::numeric[], $6::bytea[], $7::int8[]
		)`,
		[
			chainId,
			before.map(({ until }) => blockOfPosition(until)),
			before.map(({ setId }) => setId),
			before.map(({ from }) => from),
			before.map(({ to }) => to),
			before.map(({ owner }) => (owner === null ? null : bytesOf(owner))),
			before.map(({ position }) => position),
		],
	);
}
