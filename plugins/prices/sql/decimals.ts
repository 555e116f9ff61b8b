import { bytesOf } from "#core/chain/bytesOf.ts";
import type { Address } from "#core/chain/Hex.ts";
import type { Queryable } from "#core/db/Database.ts";

/** `feed`: of an aggregator's answers; `token`: of the priced currency. */
export type DecimalsOf = "feed" | "token";

export type Decimals = { chainId: number; address: Address; decimals: number };

/** Reads and stores the decimals of contracts, which never change: each contract is asked once. */
export const decimals = {
	async read(db: Queryable, of: DecimalsOf): Promise<Decimals[]> {
		return db.query<Decimals>(
			`select chain_id as "chainId", '0x' || encode(address, 'hex') as address, decimals
			from prices.${of} where decimals is not null`,
		);
	},
	async save(db: Queryable, of: DecimalsOf, known: Decimals): Promise<void> {
		await db.execute(
			`insert into prices.${of} (chain_id, address, decimals) values ($1, $2, $3)
			on conflict (chain_id, address) do update set decimals = excluded.decimals`,
			[known.chainId, bytesOf(known.address), known.decimals],
		);
	},
};
