import type { Tx } from "#core/db/Database.ts";
import type { Profile } from "#plugins/wallets/contract.ts";

/** Writes what a profile's owner can set, by primary key. */
export async function updateSettings(
	tx: Tx,
	id: string,
	settings: Pick<
		Profile,
		"requireTradeConfirmation" | "perTradeUsdMax" | "dailyUsdMax" | "canonicalWalletId"
	>,
): Promise<void> {
	await tx.execute(
		`update wallets.profile set require_trade_confirmation = $2, per_trade_usd_max = $3,
			daily_usd_max = $4, canonical_wallet_id = $5
		where id = $1`,
		[
			id,
			settings.requireTradeConfirmation,
			settings.perTradeUsdMax,
			settings.dailyUsdMax,
			settings.canonicalWalletId,
		],
	);
}
