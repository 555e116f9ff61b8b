import type { Address } from "#core/chain/Hex.ts";
import type { Queryable } from "#core/db/Database.ts";
import type { Profile, WalletCapability } from "#plugins/wallets/contract.ts";

/** Each is unique, and has an index for it. */
export type ProfileKey = { id: string } | { socialUserId: string } | { providerUserId: string };

type WalletRow = {
	id: string;
	address: Address;
	chainId: number;
	capability: WalletCapability;
	providerWalletId: string | null;
	notionalUsdMax: string | null;
	revision: number;
};

type ProfileRow = Omit<Profile, "perTradeUsdMax" | "dailyUsdMax" | "wallets"> & {
	perTradeUsdMax: string | null;
	dailyUsdMax: string | null;
	wallets: WalletRow[];
};

const COLUMNS = `
	p.id, p.social_user_id as "socialUserId", p.social_username as "socialUsername",
	p.canonical_wallet_id as "canonicalWalletId",
	p.require_trade_confirmation as "requireTradeConfirmation",
	p.per_trade_usd_max::text as "perTradeUsdMax", p.daily_usd_max::text as "dailyUsdMax",
	p.revision,
	coalesce((
		select json_agg(json_build_object(
			'id', w.id, 'address', '0x' || encode(w.address, 'hex'), 'chainId', w.chain_id,
			'capability', w.capability, 'providerWalletId', w.provider_wallet_id,
			'notionalUsdMax', w.notional_usd_max::text, 'revision', w.revision
		) order by w.created_at, w.id)
		from wallets.wallet as w where w.profile_id = p.id and w.removed_at is null
	), '[]'::json) as wallets`;

/** A profile with the wallets it has now. Amounts cross as text: JSON would round them. */
export async function readProfile(db: Queryable, key: ProfileKey): Promise<Profile | null> {
	const [column, value] = columnOf(key);
	const rows = await db.query<ProfileRow>(
		`select ${COLUMNS} from wallets.profile as p where p.${column} = $1`,
		[value],
	);
	const [row] = rows;
	if (!row) return null;
	return {
		...row,
		perTradeUsdMax: bigOf(row.perTradeUsdMax),
		dailyUsdMax: bigOf(row.dailyUsdMax),
		wallets: row.wallets.map((wallet) => ({
			...wallet,
			profileId: row.id,
			notionalUsdMax: bigOf(wallet.notionalUsdMax),
		})),
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
