import { hexOf } from "#core/chain/hexOf.ts";
import type { Queryable, SqlValue } from "#core/db/Database.ts";
import type { RowSource } from "#core/quarantine/RowSource.ts";
import { type ReadRows, readRows } from "#core/quarantine/readRows.ts";
import { rowField } from "#core/quarantine/rowField.ts";
import type {
	Submission,
	SubmissionPurpose,
	SubmissionState,
} from "#plugins/wallets/submission/Submission.ts";

/** What `submissionRow.columns` reads. */
export type SubmissionRow = {
	id: string;
	intent_id: string;
	purpose: SubmissionPurpose;
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
	final_at: Date | null;
};

/** Of `wallets.submission s`. */
const columns = `s.id, s.intent_id, s.purpose, s.wallet_id, s.chain_id, s.sender, s.nonce, s.state,
	s.provider_transaction_id, s.transaction_hash, s.block_number, s.block_hash,
	s.seen_nonce, s.seen_at, s.from_block, s.gas_limit::text, s.valid_until, s.session,
	s.created_at, s.sent_at, s.final_at`;

const { whole, wholeOrNull, timeMs, timeMsOrNull } = rowField;
/** What a nonce and a block number can be, as nodes are believed (`core/chain/chainNumbers`). */
const COUNT_MAX = 2 ** 48 - 1;
const hex = (bytes: Uint8Array | null) => bytes && hexOf(bytes);

/** How a submission stands in the database. */
export const submissionRow = {
	columns,
	table: "wallets.submission",
	select: `select ${columns} from wallets.submission s where s.id = any($1::uuid[])`,
	keyOf: ({ id }: SubmissionRow) => id,
	read(row: SubmissionRow): Submission {
		return {
			id: row.id,
			intentId: row.intent_id,
			purpose: row.purpose,
			walletId: row.wallet_id,
			chainId: whole(row.chain_id),
			sender: hexOf(row.sender),
			nonce: wholeOrNull(row.nonce, COUNT_MAX),
			state: row.state,
			providerTransactionId: row.provider_transaction_id,
			transactionHash: hex(row.transaction_hash),
			blockNumber: wholeOrNull(row.block_number, COUNT_MAX),
			blockHash: hex(row.block_hash),
			seenNonce: wholeOrNull(row.seen_nonce, COUNT_MAX),
			seenAtMs: timeMsOrNull(row.seen_at),
			fromBlock: wholeOrNull(row.from_block, COUNT_MAX),
			gasLimit: row.gas_limit === null ? null : BigInt(row.gas_limit),
			validUntilMs: timeMsOrNull(row.valid_until),
			session: row.session,
			createdAtMs: timeMs(row.created_at),
			sentAtMs: timeMsOrNull(row.sent_at),
			finalAtMs: timeMsOrNull(row.final_at),
		};
	},
} satisfies RowSource<SubmissionRow, Submission> & { columns: string };

/**
 * Reads submissions by what follows `from wallets.submission s`. Those that cannot be read are left
 * out of the items, and named.
 */
export async function readSubmissions(
	db: Queryable,
	rest: string,
	values: readonly SqlValue[],
): Promise<ReadRows<Submission>> {
	const sql = `select ${columns} from wallets.submission s ${rest}`;
	return readRows(db, submissionRow, await db.query<SubmissionRow>(sql, values));
}
