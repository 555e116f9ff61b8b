import { type Address, bytesOf } from "#core/chain/Hex.ts";
import type { Database } from "#core/db/Database.ts";

/** A tracked collection, active at a time; answers its id. */
export async function registerCollection(
	db: Database,
	given: { chainId: number; contract: Address; standard: string; lastMintAt: Date },
): Promise<number> {
	const { chainId, contract, standard, lastMintAt } = given;
	const rows = await db.query<{ id: number }>(
		`insert into market_index.collection (chain_id, address, slug, standard, last_mint_at)
		values ($1, $2, $3, $4, $5) returning id`,
		[chainId, bytesOf(contract), contract, standard, lastMintAt],
	);
	return rows[0]?.id ?? 0;
}
