import type { Address } from "#core/chain/Hex.ts";
import type { Tx } from "#core/db/Database.ts";
import type { Reorg } from "#plugins/chain-scanner/contract.ts";
import type { UnitsAdded } from "#plugins/market-index/owners/UnitsAdded.ts";

type Row = {
	block: number;
	setId: number;
	tokenId: string | null;
	owner: Address;
	units: string;
};

/**
 * Removes from the journal what was added above a fork, and returns it. By the index
 * `units_added_block`.
 */
export async function takeUnits(tx: Tx, { chainId, forkBlock }: Reorg): Promise<UnitsAdded[]> {
	const rows = await tx.query<Row>(
		`delete from market_index.units_added where chain_id = $1 and block > $2
		returning block, set_id as "setId", token_id as "tokenId",
			'0x' || encode(owner, 'hex') as owner, units`,
		[chainId, forkBlock],
	);
	return rows.map(({ tokenId, units, ...row }) => ({
		...row,
		tokenId: tokenId === null ? null : BigInt(tokenId),
		units: BigInt(units),
	}));
}
