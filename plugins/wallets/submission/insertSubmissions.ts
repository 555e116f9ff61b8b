import { hexToBytes } from "viem";
import type { Tx } from "#core/db/Database.ts";
import type { Intent, Wallet } from "#plugins/wallets/contract.ts";

export type NewSubmission = { id: string; intent: Intent; gasLimit: bigint };

/** Puts the transactions of a batch in line: reserved for, and handed to nobody yet. */
export async function insertSubmissions(
	tx: Tx,
	submissions: readonly NewSubmission[],
	by: { wallet: Wallet; holder: string; session: string; at: Date },
): Promise<void> {
	await tx.execute(
		`insert into wallets.submission (id, intent_id, step, wallet_id, chain_id, sender, gas_limit,
			state, holder, session, created_at)
		select id, intent_id, 0, $5, chain_id, $6, gas_limit, 'queued', $7, $8, $9
		from unnest($1::uuid[], $2::uuid[], $3::int8[], $4::numeric[])
			as t (id, intent_id, chain_id, gas_limit)`,
		[
			submissions.map(({ id }) => id),
			submissions.map(({ intent }) => intent.id),
			submissions.map(({ intent }) => intent.chainId),
			submissions.map(({ gasLimit }) => String(gasLimit)),
			by.wallet.id,
			hexToBytes(by.wallet.address),
			by.holder,
			by.session,
			by.at,
		],
	);
}
