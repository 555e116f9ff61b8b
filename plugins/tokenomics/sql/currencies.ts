import { bytesOf } from "#core/chain/bytesOf.ts";
import type { Address } from "#core/chain/Hex.ts";
import { hexOf } from "#core/chain/hexOf.ts";
import type { Queryable } from "#core/db/Database.ts";

/** What a currency is called; null: its contract does not say so. */
export type KnownCurrency = { address: Address; symbol: string | null; decimals: number | null };

/** Keeps the names of currencies. All by the primary key. */
export const currencies = {
	async among(
		db: Queryable,
		chainId: number,
		addresses: readonly Address[],
	): Promise<KnownCurrency[]> {
		if (addresses.length === 0) return [];
		const rows = await db.query<Omit<KnownCurrency, "address"> & { address: Uint8Array }>(
			`select address, symbol, decimals from tokenomics.currency
			where chain_id = $1 and address = any($2::bytea[])`,
			[chainId, addresses.map(bytesOf)],
		);
		return rows.map((row) => ({ ...row, address: hexOf(row.address) }));
	},

	async write(db: Queryable, chainId: number, known: KnownCurrency, at: Date): Promise<void> {
		await db.execute(
			`insert into tokenomics.currency (chain_id, address, symbol, decimals, read_at)
			values ($1, $2, $3, $4, $5) on conflict (chain_id, address) do update
			set symbol = excluded.symbol, decimals = excluded.decimals, read_at = excluded.read_at`,
			[chainId, bytesOf(known.address), known.symbol, known.decimals, at],
		);
	},
};
