import type { Address } from "#core/chain/Hex.ts";
import type { Queryable } from "#core/db/Database.ts";
import type { Gap } from "#plugins/prices/sql/Gap.ts";

/** Returns the gaps to be read, those between known rounds before history. They are few. */
export async function readOpenGaps(db: Queryable): Promise<Gap[]> {
	const rows = await db.query<{
		feedChainId: number;
		address: Address;
		below: string;
		above: string;
		roundsAsked: number;
	}>(
		`select chain_id as "feedChainId", '0x' || encode(feed, 'hex') as address, below, above,
			rounds_asked as "roundsAsked"
		from prices.gap where is_open order by below = 0, rounds_asked, above desc limit 1000`,
	);
	return rows.map((row) => ({ ...row, below: BigInt(row.below), above: BigInt(row.above) }));
}
