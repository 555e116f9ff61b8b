import type { Tx } from "#core/db/Database.ts";
import type { Reorg } from "#plugins/chain-scanner/contract.ts";

const STATE = ["owned_span", "owned_units", "holder", "span_before", "units_added", "recipients"];

/** Forgets the owners of collections that left the index. They are young, and have few. */
export async function forgetOwners(tx: Tx, { chainId }: Reorg): Promise<void> {
	const rows = await tx.query<{ id: number }>(
		`delete from market_index.ownership as o
		where chain_id = $1
			and not exists (select from market_index.collection as c where c.id = o.collection_id)
		returning collection_id as id`,
		[chainId],
	);
	if (rows.length === 0) return;
	const ids = rows.map(({ id }) => id);
	for (const table of STATE) {
		await tx.execute(`delete from market_index.${table} where collection_id = any($1::int4[])`, [
			ids,
		]);
	}
}
