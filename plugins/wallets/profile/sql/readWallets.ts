import type { Queryable } from "#core/db/Database.ts";
import type { Wallet } from "#plugins/wallets/contract.ts";

type WalletRow = Omit<Wallet, "notionalUsdMax"> & { notionalUsdMax: string | null };

/** Reads wallets by id, also unlinked ones: what they have sent is followed to its end. */
export async function readWallets(
	db: Queryable,
	ids: readonly string[],
): Promise<Map<string, Wallet>> {
	const rows = await db.query<WalletRow>(
		`select id, profile_id as "profileId", '0x' || encode(address, 'hex') as address,
			chain_id as "chainId", capability, provider_wallet_id as "providerWalletId",
			notional_usd_max::text as "notionalUsdMax", revision
		from wallets.wallet where id = any($1)`,
		[ids],
	);
	return new Map(
		rows.map(({ notionalUsdMax: most, ...row }) => [
			row.id,
			{ ...row, notionalUsdMax: most === null ? null : BigInt(most) },
		]),
	);
}
