import type { Queryable } from "#core/db/Database.ts";
import type { Wallet } from "#plugins/wallets/contract.ts";

type WalletRow = Omit<Wallet, "notionalUsdMax"> & { notionalUsdMax: string | null };

/** A wallet by its id, also one that was unlinked: what it has sent is followed to its end. */
export async function readWallet(db: Queryable, id: string): Promise<Wallet | null> {
	const [row] = await db.query<WalletRow>(
		`select id, profile_id as "profileId", '0x' || encode(address, 'hex') as address,
			chain_id as "chainId", capability, provider_wallet_id as "providerWalletId",
			notional_usd_max::text as "notionalUsdMax", revision
		from wallets.wallet where id = $1`,
		[id],
	);
	if (!row) return null;
	const { notionalUsdMax: most } = row;
	return { ...row, notionalUsdMax: most === null ? null : BigInt(most) };
}
