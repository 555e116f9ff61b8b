import { hexToBytes } from "viem";
import type { Address } from "#core/chain/Hex.ts";
import type { Tx } from "#core/db/Database.ts";

export type SpendEntry = {
	intentId: string;
	profileId: string;
	walletId: string;
	chainId: number;
	currency: Address;
	amountRaw: bigint;
	usdMicros: bigint;
};

/** Reserves. The caller holds the profile's row, and has decided on sums read under it. */
export async function writeSpend(tx: Tx, entry: SpendEntry, at: Date): Promise<void> {
	await tx.execute(
		`insert into wallets.spend_entry
			(intent_id, profile_id, wallet_id, kind, chain_id, currency, amount_raw, usd_micros, at)
		values ($1, $2, $3, 'reserve', $4, $5, $6, $7, $8)`,
		[
			entry.intentId,
			entry.profileId,
			entry.walletId,
			entry.chainId,
			hexToBytes(entry.currency),
			entry.amountRaw,
			entry.usdMicros,
			at,
		],
	);
}
