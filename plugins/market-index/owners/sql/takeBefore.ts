import type { Address } from "#core/chain/Hex.ts";
import type { Tx } from "#core/db/Database.ts";
import type { Reorg } from "#plugins/chain-scanner/contract.ts";
import type { OwnedBefore } from "#plugins/market-index/owners/OwnedBefore.ts";

type Row = {
	setId: number;
	from: string;
	to: string;
	owner: Address | null;
	position: string;
};

/**
 * Removes from the journal what transfers above a fork replaced, and returns it. By the index
 * `span_before_block`.
 */
export async function takeBefore(
	tx: Tx,
	{ chainId, forkBlock }: Reorg,
): Promise<Omit<OwnedBefore, "until">[]> {
	const rows = await tx.query<Row>(
		`delete from market_index.span_before where chain_id = $1 and block > $2
		returning set_id as "setId", from_id as "from", to_id as "to",
			'0x' || encode(owner, 'hex') as owner, position::text as position`,
		[chainId, forkBlock],
	);
	return rows.map(({ setId, owner, ...row }) => ({
		setId,
		owner,
		from: BigInt(row.from),
		to: BigInt(row.to),
		position: BigInt(row.position),
	}));
}
