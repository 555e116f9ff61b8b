import type { Address } from "#core/chain/Hex.ts";
import type { Queryable } from "#core/db/Database.ts";
import type { Profile, Wallet, WalletCapability } from "#plugins/wallets/contract.ts";

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

/**
 * Of `wallets.profile as p`, with the wallets it has now, a row for each: nothing is made into JSON
 * on the way. Amounts cross as text.
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

function walletOf(row: ProfileRow, id: string): Wallet {
	const { address, chainId, capability, providerWalletId } = row;
	return {
		...{ id, address, chainId, capability, providerWalletId },
		profileId: row.id,
		notionalUsdMax: bigOf(row.notionalUsdMax),
		revision: row.walletRevision,
	};
}

function columnOf(key: ProfileKey): [column: string, value: string] {
	if ("id" in key) return ["id", key.id];
	if ("socialUserId" in key) return ["social_user_id", key.socialUserId];
	return ["provider_user_id", key.providerUserId];
}

function bigOf(text: string | null): bigint | null {
	return text === null ? null : BigInt(text);
}
