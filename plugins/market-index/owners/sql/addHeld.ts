import { bytesOf } from "#core/chain/bytesOf.ts";
import type { Address } from "#core/chain/Hex.ts";
import type { Tx } from "#core/db/Database.ts";

export type HeldUnits = { setId: number; owner: Address; units: bigint };

/**
 * Adds to accounts' units of a collection, by primary key; each account once. Returns by how many
 * the holders of each collection grew. An account without units has no row.
 */
export async function addHeld(tx: Tx, added: readonly HeldUnits[]): Promise<Map<number, number>> {
	const grown = new Map<number, number>();
	if (added.length === 0) return grown;
	const upserted = tx.query<{ setId: number; owner: Address; units: string }>(
		`insert into market_index.holder as kept (set_id, owner, units)
		select * from unnest($1::int4[], $2::bytea[], $3::numeric[])
		on conflict (set_id, owner) do update set units = kept.units + excluded.units
		returning set_id as "setId", '0x' || encode(owner, 'hex') as owner, units`,
		columnsOf(added),
	);
	// In one round trip: only an account that gave units away can have none now.
	const fewer = added.filter(({ units }) => units < 0n);
	const [rows] = await Promise.all([upserted, deleteEmpty(tx, fewer)]);
	const addedTo = new Map(added.map((held) => [keyOf(held), held.units]));
	for (const row of rows) {
		const { setId } = row;
		const units = BigInt(row.units);
		const before = units - (addedTo.get(keyOf(row)) ?? 0n);
		const change = Number(units > 0n) - Number(before > 0n);
		grown.set(setId, (grown.get(setId) ?? 0) + change);
	}
	return grown;
}

async function deleteEmpty(tx: Tx, given: readonly HeldUnits[]): Promise<void> {
	if (given.length === 0) return;
	await tx.execute(
		`delete from market_index.holder as kept
		using unnest($1::int4[], $2::bytea[]) as given (id, owner)
		where kept.set_id = given.id and kept.owner = given.owner and kept.units = 0`,
		columnsOf(given).slice(0, 2),
	);
}

function keyOf({ setId, owner }: { setId: number; owner: Address }): string {
	return `${setId} ${owner}`;
}

function columnsOf(rows: readonly HeldUnits[]) {
	return [
		rows.map(({ setId }) => setId),
		rows.map(({ owner }) => bytesOf(owner)),
		rows.map(({ units }) => units),
	];
}
