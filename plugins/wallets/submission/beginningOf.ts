import type { Address } from "#core/chain/Hex.ts";
import type { Tx } from "#core/db/Database.ts";
import type { CustodyTransaction } from "#plugins/custody/contract.ts";
import type { AccountState } from "#plugins/wallets/chain/readAccount.ts";
import type { Plan } from "#plugins/wallets/contract.ts";

/** What a transaction does, whatever nonce and fees it has. */
type Call = Pick<Plan, "chainId" | "from" | "to" | "valueRaw" | "data">;

/** What is about to be handed over, with what is kept of it. */
export type Beginning = {
	transaction: CustodyTransaction;
	/** The same as JSON. */
	stored: string;
	/** A block in which its nonce is free. */
	fromBlock: number;
	session: string;
	sentAt: Date;
	validUntil: Date;
};

export type BeginningAsked = {
	plan: Call;
	gasLimit: bigint;
	account: Pick<AccountState, "maxFeePerGas" | "maxPriorityFeePerGas" | "headBlock">;
	session: string;
	at: Date;
	validUntil: Date;
};

/** Puts together what is handed over under a nonce, and what is kept of it. */
export function beginningOf(nonce: number, asked: BeginningAsked): Beginning {
	const { plan, gasLimit, account, session, at, validUntil } = asked;
	const { chainId, from, to, valueRaw, data } = plan;
	const { maxFeePerGas, maxPriorityFeePerGas } = account;
	const fees = { maxFeePerGas, maxPriorityFeePerGas };
	return {
		transaction: { chainId, from, to, valueRaw, data, nonce, gasLimit, ...fees },
		stored: JSON.stringify({
			to,
			valueRaw: String(valueRaw),
			data,
			maxFeePerGas: String(maxFeePerGas),
			maxPriorityFeePerGas: String(maxPriorityFeePerGas),
		}),
		fromBlock: account.headBlock,
		session,
		sentAt: at,
		validUntil,
	};
}

/**
 * Records that a queued submission is about to be handed over. False where it is not queued any
 * more. The caller holds the profile's row and has read the nonce queue under it.
 */
export async function beginSubmission(
	tx: Tx,
	submissionId: string,
	beginning: Beginning,
): Promise<boolean> {
	const { transaction, stored, fromBlock, session, sentAt, validUntil } = beginning;
	const begun = await tx.execute(
		`update wallets.submission set state = 'sending', nonce = $2, transaction = $3,
			from_block = $4, session = $5, sent_at = $6, valid_until = $7
		where id = $1 and state = 'queued'`,
		[submissionId, transaction.nonce, stored, fromBlock, session, sentAt, validUntil],
	);
	return begun > 0;
}

/** Returns what sends nothing from an account to itself: it uses its nonce, and pays gas. */
export function selfTransfer({ chainId, from }: { chainId: number; from: Address }): Call {
	return { chainId, from, to: from, valueRaw: 0n, data: "0x" };
}
