import { bytesOf } from "#core/chain/bytesOf.ts";
import type { Address } from "#core/chain/Hex.ts";
import type { Queryable } from "#core/db/Database.ts";
import type { Currencies } from "#plugins/market-index/event/Currencies.ts";

/** Returns what is known of these ERC-20s, by primary key. */
export async function readCurrencies(
	db: Queryable,
	chainId: number,
	addresses: readonly Address[],
): Promise<Currencies> {
	if (addresses.length === 0) return new Map();
	const rows = await db.query<{
		address: Address;
		symbol: string | null;
		decimals: number | null;
	}>(
		`select '0x' || encode(address, 'hex') as address, symbol, decimals
		from market_index.currency where chain_id = $1 and address = any($2::bytea[])`,
		[chainId, addresses.map((address) => bytesOf(address))],
	);
	return new Map(rows.map(({ address, symbol, decimals }) => [address, { symbol, decimals }]));
}
