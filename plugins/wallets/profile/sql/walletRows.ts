import { bytesOf } from "#core/chain/bytesOf.ts";
import type { Address } from "#core/chain/Hex.ts";
import type { Queryable, Tx } from "#core/db/Database.ts";
import type { Wallet, WalletCapability } from "#plugins/wallets/contract.ts";

export type NewWallet = Omit<Wallet, "notionalUsdMax" | "revision"> & { now: Date };

export const walletRows = {
	async insert(tx: Tx, wallet: NewWallet): Promise<void> {
		const { id, profileId, address, chainId, capability, providerWalletId, now } = wallet;
		await tx.execute(
			`insert into wallets.wallet
				(id, profile_id, address, chain_id, capability, provider_wallet_id, created_at)
			values ($1, $2, $3, $4, $5, $6, $7)`,
			[id, profileId, bytesOf(address), chainId, capability, providerWalletId, now],
		);
	},

	async setCapability(
		tx: Tx,
		id: string,
		to: { capability: WalletCapability; providerWalletId: string | null },
	): Promise<void> {
		await tx.execute(
			`update wallets.wallet set capability = $2, provider_wallet_id = $3, revision = revision + 1
			where id = $1`,
			[id, to.capability, to.providerWalletId],
		);
	},

	/** The row stays: intents and entries of the spend ledger name it. */
	async remove(tx: Tx, id: string, now: Date): Promise<void> {
		await tx.execute(
			`update wallets.wallet set removed_at = $2, revision = revision + 1
			where id = $1 and removed_at is null`,
			[id, now],
		);
	},

	/** Addresses that a profile once had and has no more, by `wallet_profile`. */
	async removedOf(db: Queryable, profileId: string): Promise<Set<Address>> {
		const rows = await db.query<{ address: Address }>(
			`select '0x' || encode(address, 'hex') as address from wallets.wallet
			where profile_id = $1 group by address having bool_and(removed_at is not null)`,
			[profileId],
		);
		return new Set(rows.map(({ address }) => address));
	},

	/** Who has these addresses, or wallets of these names, now; by their partial unique indexes. */
	async holdersOf(
		db: Queryable,
		wanted: { addresses: readonly Address[]; providerWalletIds: readonly string[] },
	): Promise<{ address: Address; providerWalletId: string | null; profileId: string }[]> {
		return db.query(
			`select '0x' || encode(address, 'hex') as address,
				provider_wallet_id as "providerWalletId", profile_id as "profileId"
			from wallets.wallet
			where removed_at is null
				and (address = any($1::bytea[]) or provider_wallet_id = any($2::text[]))`,
			[wanted.addresses.map(bytesOf), wanted.providerWalletIds],
		);
	},

	async setNotional(tx: Tx, id: string, usdMicros: bigint | null): Promise<void> {
		await tx.execute(
			"update wallets.wallet set notional_usd_max = $2, revision = revision + 1 where id = $1",
			[id, usdMicros],
		);
	},
};
