import { hexToBytes } from "viem";
import type { Tx } from "#core/db/Database.ts";
import type { AccountState } from "#plugins/wallets/chain/readAccount.ts";
import type { Plan } from "#plugins/wallets/contract.ts";
import type { CustodyTransaction } from "#plugins/wallets/custody/Custody.ts";

export type BeginOptions = {
	submissionId: string;
	plan: Plan;
	gasLimit: bigint;
	account: AccountState;
	holder: string;
	session: string;
	at: Date;
	validUntil: Date;
};

/**
 * Takes a nonce for a queued submission and records what is about to be handed over. Null where it
 * is not queued any more, or where the account's last one may or may not have left, or is dropped:
 * nothing follows that before it is known. The caller holds the profile's row, so nobody else is
 * here.
 */
export async function beginSubmission(
	tx: Tx,
	options: BeginOptions,
): Promise<CustodyTransaction | null> {
	const { submissionId, plan, gasLimit, account, at, validUntil } = options;
	const sender = hexToBytes(plan.from);
	// Each answers from an index's end: `submission_lane`, `submission_dropped`, `submission_nonce`.
	const lane = await tx.query<{ busy: boolean; next: number }>(
		`select exists (
				select from wallets.submission
				where chain_id = $1 and sender = $2 and state in ('sending', 'doubtful')
			) or exists (
				select from wallets.submission
				where chain_id = $1 and sender = $2 and state = 'dropped'
			) as busy,
			coalesce((
				select nonce + 1 from wallets.submission
				where chain_id = $1 and sender = $2 and nonce is not null and state <> 'never'
				order by nonce desc limit 1
			), 0) as next`,
		[plan.chainId, sender],
	);
	if (lane[0]?.busy ?? true) return null;
	const nonce = Math.max(account.pendingNonce, lane[0]?.next ?? 0);
	const transaction = {
		to: plan.to,
		valueRaw: String(plan.valueRaw),
		data: plan.data,
		maxFeePerGas: String(account.maxFeePerGas),
		maxPriorityFeePerGas: String(account.maxPriorityFeePerGas),
	};
	const begun = await tx.execute(
		`update wallets.submission set state = 'sending', nonce = $2, transaction = $3,
			from_block = $4, holder = $5, session = $6, sent_at = $7, valid_until = $8
		where id = $1 and state = 'queued'`,
		[
			submissionId,
			nonce,
			JSON.stringify(transaction),
			account.headBlock,
			options.holder,
			options.session,
			at,
			validUntil,
		],
	);
	if (begun === 0) return null;
	const { maxFeePerGas, maxPriorityFeePerGas } = account;
	const { chainId, from, to, valueRaw, data } = plan;
	return { chainId, from, to, valueRaw, data, nonce, gasLimit, maxFeePerGas, maxPriorityFeePerGas };
}
