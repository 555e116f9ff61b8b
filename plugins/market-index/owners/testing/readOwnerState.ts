import { type Address, ZERO_ADDRESS } from "#core/chain/Hex.ts";
import type { Database } from "#core/db/Database.ts";
import type { OwnerState } from "#plugins/market-index/owners/testing/ownerModel.ts";

/** What the tables say of a collection, in the model's words. */
export async function readOwnerState(
	db: Database,
	collectionId: number,
): Promise<OwnerState & { done: boolean }> {
	const [row] = await db.query<{
		setId: number;
		owners: number;
		minted: string;
		burned: string;
		done: boolean;
	}>(
		`select set_id as "setId", owners, minted, burned,
			coalesce(next_block > end_block, false) as done
		from market_index.ownership where collection_id = $1`,
		[collectionId],
	);
	const of = <Row>(columns: string, table: string) =>
		db.query<Row>(`select ${columns} from market_index.${table} where set_id = $1`, [
			row?.setId ?? -1,
		]);
	const hex = `'0x' || encode(owner, 'hex') as owner`;
	const spans = await of<{ from: string; to: string; owner: Address }>(
		`from_id as "from", to_id as "to", ${hex}`,
		"owned_span",
	);
	const units = await of<{ id: string; owner: Address; units: string }>(
		`token_id as id, ${hex}, units`,
		"owned_units",
	);
	const holders = await of<{ owner: Address; units: string }>(`${hex}, units`, "holder");
	return {
		owners: Object.fromEntries(spans.flatMap(ownersIn)),
		units: Object.fromEntries(units.map((at) => [`${at.id} ${at.owner}`, BigInt(at.units)])),
		holders: Object.fromEntries(holders.map((held) => [held.owner, BigInt(held.units)])),
		ownersCount: row?.owners ?? 0,
		minted: BigInt(row?.minted ?? 0),
		burned: BigInt(row?.burned ?? 0),
		done: row?.done ?? false,
	};
}

function ownersIn({ from, to, owner }: { from: string; to: string; owner: Address }) {
	const ids: [string, Address][] = [];
	if (owner === ZERO_ADDRESS) return ids;
	for (let id = BigInt(from); id <= BigInt(to); id++) ids.push([`${id}`, owner]);
	return ids;
}
