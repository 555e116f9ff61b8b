import { bytesOf } from "#core/chain/bytesOf.ts";
import type { Address } from "#core/chain/Hex.ts";
import type { Tx } from "#core/db/Database.ts";

export type AccountUnits = {
	setId: number;
	tokenId: bigint;
	owner: Address;
	units: bigint;
};

/**
 * Adds to accounts' units of an ERC-1155's ids, by primary key; each account and id once. Returns
 * what each has now. Rows that come to 0 are deleted.
 */
export async function addUnits(tx: Tx, added: readonly AccountUnits[]): Promise<AccountUnits[]> {
	if (added.length === 0) return [];
	const upserted = tx.query<{
		setId: number;
		tokenId: string;
		owner: Address;
		units: string;
	}>(
		`insert into market_index.owned_units as kept (set_id, token_id, owner, units)
		select * from unnest($1::int4[], $2::numeric[], $3::bytea[], $4::numeric[])
		on conflict (set_id, token_id, owner) do update set
			units = kept.units + excluded.units
		returning set_id as "setId", token_id as "tokenId",
			'0x' || encode(owner, 'hex') as owner, units`,
		columnsOf(added),
	);
	const columns = columnsOf(added).slice(0, 3);
	const deleted = tx.execute(
		`delete from market_index.owned_units as kept
		using unnest($1::int4[], $2::numeric[], $3::bytea[]) as given (id, token_id, owner)
		where kept.set_id = given.id and kept.token_id = given.token_id
			and kept.owner = given.owner and kept.units = 0`,
		columns,
	);
	const [rows] = await Promise.all([upserted, deleted]);
	return rows.map(({ tokenId, units, ...row }): AccountUnits => {
		return { ...row, tokenId: BigInt(tokenId), units: BigInt(units) };
	});
}

function columnsOf(rows: readonly AccountUnits[]) {
	return [
		rows.map(({ setId }) => setId),
		rows.map(({ tokenId }) => tokenId),
		rows.map(({ owner }) => bytesOf(owner)),
		rows.map(({ units }) => units),
	];
}
