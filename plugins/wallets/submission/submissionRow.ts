import { bytesToHex } from "viem";
import type { Submission, SubmissionState } from "#plugins/wallets/submission/Submission.ts";

/** What `submissionRow.columns` reads. */
export type SubmissionRow = {
	id: string;
	intent_id: string;
	wallet_id: string;
	chain_id: number;
	sender: Uint8Array;
	nonce: number | null;
	state: SubmissionState;
	provider_transaction_id: string | null;
	transaction_hash: Uint8Array | null;
	block_number: number | null;
	block_hash: Uint8Array | null;
	seen_nonce: number | null;
	seen_at: Date | null;
	from_block: number | null;
	gas_limit: string | null;
	valid_until: Date | null;
	session: string | null;
	created_at: Date;
	sent_at: Date | null;
};

/** How a submission stands in the database. */
export const submissionRow = {
	/** Of `wallets.submission s`. */
	columns: `s.id, s.intent_id, s.wallet_id, s.chain_id, s.sender, s.nonce, s.state,
		s.provider_transaction_id, s.transaction_hash, s.block_number, s.block_hash,
		s.seen_nonce, s.seen_at, s.from_block, s.gas_limit::text, s.valid_until, s.session,
		s.created_at, s.sent_at`,
	read(row: SubmissionRow): Submission {
		return {
			id: row.id,
			intentId: row.intent_id,
			walletId: row.wallet_id,
			chainId: row.chain_id,
			sender: bytesToHex(row.sender),
			nonce: row.nonce,
			state: row.state,
			providerTransactionId: row.provider_transaction_id,
			transactionHash: row.transaction_hash && bytesToHex(row.transaction_hash),
			blockNumber: row.block_number,
			blockHash: row.block_hash && bytesToHex(row.block_hash),
			seenNonce: row.seen_nonce,
			seenAtMs: row.seen_at?.getTime() ?? null,
			fromBlock: row.from_block,
			gasLimit: row.gas_limit === null ? null : BigInt(row.gas_limit),
			validUntilMs: row.valid_until?.getTime() ?? null,
			session: row.session,
			createdAtMs: row.created_at.getTime(),
			sentAtMs: row.sent_at?.getTime() ?? null,
		};
	},
};
