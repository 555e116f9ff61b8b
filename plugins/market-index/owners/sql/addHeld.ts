import type { Address } from "#core/chain/Hex.ts";
import type { Tx } from "#core/db/Database.ts";
import { bytesOf } from "#plugins/market-index/owners/bytesOf.ts";

export type HeldUnits = { collectionId: number; owner: Address; units: bigint };

/**
 * Adds to what accounts hold of a collection, by primary key; each account once. Answers by how
 * many the holders of each collection grew. Who holds nothing any more has no row.
 */
export async function addHeld(tx: Tx, added: readonly HeldUnits[]): Promise<Map<number, number>> {
	const grown = new Map<number, number>();
	if (added.length === 0) return grown;
	const rows = await tx.query<{ collectionId: number; owner: Address; units: string }>(
		`insert into market_index.holder as kept (collection_id, owner, units)
		select * from unnest($1::int4[], $2::bytea[], $3::numeric[])
		on conflict (collection_id, owner) do update set units = kept.units + excluded.units
		returning collection_id as "collectionId", '0x' || encode(owner, 'hex') as owner, units`,
		columnsOf(added),
	);
	const addedTo = new Map(added.map((held) => [keyOf(held), held.units]));
	const empty: HeldUnits[] = [];
	for (const row of rows) {
		const { collectionId } = row;
		const units = BigInt(row.units);
		const before = units - (addedTo.get(keyOf(row)) ?? 0n);
		const change = Number(units > 0n) - Number(before > 0n);
		grown.set(collectionId, (grown.get(collectionId) ?? 0) + change);
		if (units === 0n) empty.push({ ...row, units });
	}
	if (empty.length > 0) {
		await tx.execute(
			`delete from market_index.holder as kept
			using unnest($1::int4[], $2::bytea[]) as given (id, owner)
			where kept.collection_id = given.id and kept.owner = given.owner`,
			columnsOf(empty).slice(0, 2),
		);
	}
	return grown;
}

function keyOf({ collectionId, owner }: { collectionId: number; owner: Address }): string {
	return `${collectionId} ${owner}`;
}

function columnsOf(rows: readonly HeldUnits[]) {
	return [
		rows.map(({ collectionId }) => collectionId),
		rows.map(({ owner }) => bytesOf(owner)),
		rows.map(({ units }) => units),
	];
}
