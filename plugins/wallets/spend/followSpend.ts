import type { Tx } from "#core/db/Database.ts";

/** What can follow a reservation. */
export type SpendMove = "spend" | "release" | "unspend" | "unrelease";

/**
 * Writes what became of an intent's reservation, for the whole of it. Only what fits is written: a
 * spend or a release where something is open, its reversal where there is one to take back. So a
 * move that is told twice is written once. The caller holds the intent's row.
 */
export async function followSpend(
	tx: Tx,
	follow: { intentId: string; move: SpendMove; at: Date },
): Promise<void> {
	await tx.execute(
		`with reserved as (
			select profile_id, wallet_id, chain_id, currency, amount_raw, usd_micros
			from wallets.spend_entry where intent_id = $1 and kind = 'reserve'
		), stands as (
			select count(*) filter (where kind = 'spend') - count(*) filter (where kind = 'unspend')
					as spent,
				count(*) filter (where kind = 'release') - count(*) filter (where kind = 'unrelease')
					as released
			from wallets.spend_entry where intent_id = $1
		)
		insert into wallets.spend_entry
			(intent_id, profile_id, wallet_id, kind, chain_id, currency, amount_raw, usd_micros, at)
		select $1, profile_id, wallet_id, $2::text, chain_id, currency, amount_raw, usd_micros, $3
		from reserved, stands
		where case $2::text
			when 'unspend' then spent > 0
			when 'unrelease' then released > 0
			else spent = 0 and released = 0
		end`,
		[follow.intentId, follow.move, follow.at],
	);
}
