import type { Database } from "#core/db/Database.ts";
import type { Profile, Wallet, WalletCapability } from "#plugins/wallets/model.ts";
import { readProfile } from "#plugins/wallets/profile/sql.ts";

export type Person = { profile: Profile; wallet: Wallet };
export type PersonOptions = {
	capability?: WalletCapability;
	requireTradeConfirmation?: boolean;
	dailyUsdMax?: bigint;
};

/** Somebody with one wallet, as if they had enrolled. */
export async function insertPerson(
	db: Database,
	options: PersonOptions & { chainId: number; nowMs: number },
): Promise<Person> {
	const profileId = Bun.randomUUIDv7();
	const walletId = Bun.randomUUIDv7();
	const address = crypto.getRandomValues(new Uint8Array(20));
	const capability = options.capability ?? "embedded/delegated";
	const at = new Date(options.nowMs);
	await db.execute(
		`insert into wallets.profile (id, require_trade_confirmation, daily_usd_max, created_at)
		values ($1, $2, $3, $4)`,
		[profileId, options.requireTradeConfirmation ?? false, options.dailyUsdMax ?? null, at],
	);
	await db.execute(
		`insert into wallets.wallet
			(id, profile_id, address, chain_id, capability, provider_wallet_id, created_at)
		values ($1, $2, $3, $4, $5, $6, $7)`,
		[
			walletId,
			profileId,
			address,
			options.chainId,
			capability,
			capability.startsWith("embedded") ? `pw-${walletId}` : null,
			at,
		],
	);
	const profile = await readProfile(db, { id: profileId });
	const wallet = profile?.wallets[0];
	if (!profile || !wallet) throw new Error("the person is not there");
	return { profile, wallet };
}
