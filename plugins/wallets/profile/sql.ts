// Holds the statements of profiles and their wallets.

import { type Address, bytesOf } from "#core/chain/Hex.ts";
import type { Queryable, Tx } from "#core/db/Database.ts";
import type { Profile, Wallet, WalletCapability } from "#plugins/wallets/model.ts";

/** Each is unique, and has an index for it. */
export type ProfileKey = { id: string } | { socialUserId: string } | { providerUserId: string };

/** A wallet of the profile's, or null throughout where it has none. */
export type ProfileRow = Omit<Profile, "perTradeUsdMax" | "dailyUsdMax" | "wallets"> & {
	perTradeUsdMax: string | null;
	dailyUsdMax: string | null;
	walletId: string | null;
	address: Address;
	chainId: number;
	capability: WalletCapability;
	providerWalletId: string | null;
	notionalUsdMax: string | null;
	walletRevision: number;
};

export type NewWallet = Omit<Wallet, "notionalUsdMax" | "revision"> & { now: Date };

type WalletRow = Omit<Wallet, "notionalUsdMax"> & { notionalUsdMax: string | null };

export const profileRows = {
	async insert(
		tx: Tx,
		profile: { id: string; providerUserId: string | null; now: Date },
	): Promise<void> {
		await tx.execute(
			"insert into wallets.profile (id, provider_user_id, created_at) values ($1, $2, $3)",
			[profile.id, profile.providerUserId, profile.now],
		);
	},

	/** Locks a profile until the transaction ends: others that reserve spend of it wait. */
	async lock(tx: Tx, id: string): Promise<void> {
		await tx.query("select 1 from wallets.profile where id = $1 for update", [id]);
	},

	/** Increases the revision of a profile, by which armed plans notice that it has changed. */
	async touch(tx: Tx, id: string): Promise<void> {
		await tx.execute("update wallets.profile set revision = revision + 1 where id = $1", [id]);
	},

	async setCanonical(tx: Tx, id: string, walletId: string | null): Promise<void> {
		await tx.execute("update wallets.profile set canonical_wallet_id = $2 where id = $1", [
			id,
			walletId,
		]);
	},

	async setSocial(
		tx: Tx,
		id: string,
		social: { userId: string; username: string | null } | null,
	): Promise<void> {
		await tx.execute(
			`update wallets.profile set social_user_id = $2, social_username = $3,
				social_unlinked_id = case when $2::text is null then social_unlinked_id end
			where id = $1`,
			[id, social?.userId ?? null, social?.username ?? null],
		);
	},

	/**
	 * Unlinks a social account for its owner, and records that, so that signing in does not link it
	 * again.
	 */
	async unlinkSocial(tx: Tx, id: string): Promise<void> {
		await tx.execute(
			`update wallets.profile set social_unlinked_id = social_user_id, social_user_id = null,
				social_username = null
			where id = $1 and social_user_id is not null`,
			[id],
		);
	},

	/** Links a profile to a user of the wallet provider; false where it has one already. */
	async adopt(tx: Tx, id: string, providerUserId: string): Promise<boolean> {
		const adopted = await tx.execute(
			`update wallets.profile set provider_user_id = $2
			where id = $1 and provider_user_id is null`,
			[id, providerUserId],
		);
		return adopted === 1;
	},
};

/**
 * Lists the columns of `wallets.profile as p`, with its current wallets, a row for each, without
 * JSON. Amounts are text.
 */
export const profileColumns = `
	p.id, p.social_user_id as "socialUserId", p.social_username as "socialUsername",
	p.canonical_wallet_id as "canonicalWalletId",
	p.require_trade_confirmation as "requireTradeConfirmation",
	p.per_trade_usd_max::text as "perTradeUsdMax", p.daily_usd_max::text as "dailyUsdMax",
	p.revision, w.id as "walletId", '0x' || encode(w.address, 'hex') as address,
	w.chain_id as "chainId", w.capability, w.provider_wallet_id as "providerWalletId",
	w.notional_usd_max::text as "notionalUsdMax", w.revision as "walletRevision"`;

export const walletsOfProfile = `
	left join wallets.wallet as w on w.profile_id = p.id and w.removed_at is null`;

export const walletOrder = "w.created_at, w.id";

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

	/**
	 * Marks a wallet as removed. The row stays: intents and entries of the spend ledger refer to it.
	 */
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

	/**
	 * Reads which profiles have these addresses, or wallets of these names, now; by their partial
	 * unique indexes.
	 */
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

/** Reads a profile with the wallets it has now. */
export async function readProfile(db: Queryable, key: ProfileKey): Promise<Profile | null> {
	const [column, value] = columnOf(key);
	const rows = await db.query<ProfileRow>(
		`select ${profileColumns} from wallets.profile as p ${walletsOfProfile}
		where p.${column} = $1 order by ${walletOrder}`,
		[value],
	);
	return profileOf(rows);
}

/** Makes the one profile that rows are of; null: there are none. */
export function profileOf(rows: readonly ProfileRow[]): Profile | null {
	const [row] = rows;
	if (!row) return null;
	return {
		id: row.id,
		socialUserId: row.socialUserId,
		socialUsername: row.socialUsername,
		canonicalWalletId: row.canonicalWalletId,
		requireTradeConfirmation: row.requireTradeConfirmation,
		revision: row.revision,
		perTradeUsdMax: bigOf(row.perTradeUsdMax),
		dailyUsdMax: bigOf(row.dailyUsdMax),
		wallets: rows.flatMap((one) => (one.walletId === null ? [] : [walletOf(one, one.walletId)])),
	};
}

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

function columnOf(key: ProfileKey): [column: string, value: string] {
	if ("id" in key) return ["id", key.id];
	if ("socialUserId" in key) return ["social_user_id", key.socialUserId];
	return ["provider_user_id", key.providerUserId];
}

function bigOf(text: string | null): bigint | null {
	return text === null ? null : BigInt(text);
}

function walletOf(row: ProfileRow, id: string): Wallet {
	const { address, chainId, capability, providerWalletId } = row;
	return {
		...{ id, address, chainId, capability, providerWalletId },
		profileId: row.id,
		notionalUsdMax: bigOf(row.notionalUsdMax),
		revision: row.walletRevision,
	};
}
