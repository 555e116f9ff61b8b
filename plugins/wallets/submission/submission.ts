// Reads and writes submissions: the transactions that intents are sent by.

import { hexToBytes } from "viem";
import { type Address, type Hex, hexOf } from "#core/chain/Hex.ts";
import type { Queryable, SqlValue, Tx } from "#core/db/Database.ts";
import { assert } from "#core/fault.ts";
import { type ReadRows, type RowSource, readRows, rowField } from "#core/quarantine.ts";
import type { CustodyTransaction } from "#plugins/custody/contract.ts";
import type { AccountState } from "#plugins/wallets/chain/readAccount.ts";
import { nextStatus, noteMove } from "#plugins/wallets/intent/Intent.ts";
import type { Plan, SubmissionState } from "#plugins/wallets/model.ts";

/**
 * `pay`: what was planned. `cancel`: the wallet sends nothing to itself, under the nonce of a
 * payment that must not be mined any more. `fill`: the same under a lower nonce that is free.
 */
export type SubmissionPurpose = "pay" | "cancel" | "fill";

/**
 * Holds one transaction of an intent, handed over once at most. Its id is the provider's reference.
 */
export type Submission = {
	id: string;
	intentId: string;
	purpose: SubmissionPurpose;
	walletId: string;
	chainId: number;
	sender: Address;
	/**
	 * Null for a payment before it is handed over, and where its owner's own wallet chose it.
	 */
	nonce: number | null;
	state: SubmissionState;
	providerTransactionId: string | null;
	transactionHash: Hex | null;
	blockNumber: number | null;
	blockHash: Hex | null;
	/**
	 * The nonce with which a node showed it: the only one known for a transaction of the owner's own
	 * wallet.
	 */
	seenNonce: number | null;
	/** The time when a node last showed it. */
	seenAtMs: number | null;
	/** A block in which the nonce was free still. */
	fromBlock: number | null;
	gasLimit: bigint | null;
	/** The time until which the wallet provider may send it. */
	validUntilMs: number | null;
	session: string | null;
	createdAtMs: number;
	sentAtMs: number | null;
	/**
	 * The time at which it became final (deep enough, or missing for long enough): no lookups after
	 * it.
	 */
	finalAtMs: number | null;
};

/** Holds a transaction that is about to be handed over, with the values that are stored of it. */
export type Beginning = {
	transaction: CustodyTransaction;
	/** The transaction as JSON, as it is stored. */
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

/** Holds the columns that `submissionRow.columns` select. */
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

export type Sent = {
	submissionId: string;
	transactionHash: Hex;
	transactionId: string | null;
	at: Date;
	/** The time of its first lookup. */
	lookAt: Date;
};

/** Holds what a transaction does, without its nonce and fees. */
type Call = Pick<Plan, "chainId" | "from" | "to" | "valueRaw" | "data">;

/** Lists the states in which another transaction can replace a payment by its nonce. */
const CANCELLABLE: ReadonlySet<SubmissionState> = new Set([
	"sent",
	"doubtful",
	"dropped",
	"refused",
]);

/** Lists the columns of `wallets.submission s`. */
const columns = `s.id, s.intent_id, s.purpose, s.wallet_id, s.chain_id, s.sender, s.nonce, s.state,
	s.provider_transaction_id, s.transaction_hash, s.block_number, s.block_hash,
	s.seen_nonce, s.seen_at, s.from_block, s.gas_limit::text, s.valid_until, s.session,
	s.created_at, s.sent_at, s.final_at`;

const { whole, wholeOrNull, timeMs, timeMsOrNull } = rowField;
/** Limits nonces and block numbers that are believed of nodes (`core/chain/chainNumbers`). */
const COUNT_MAX = 2 ** 48 - 1;
const hex = (bytes: Uint8Array | null) => bytes && hexOf(bytes);

/** Maps a submission to its row in the database. */
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

/** Says whether a payment was sent, or may have been, and nothing mined has settled it yet. */
export function isCancellable({
	state,
	finalAtMs,
}: Pick<Submission, "state" | "finalAtMs">): boolean {
	return finalAtMs === null && CANCELLABLE.has(state);
}

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

/**
 * Reads the transaction that an intent's newest step pays by; null where there is none yet, and
 * where it cannot be read.
 */
export async function readPayment(db: Queryable, intentId: string): Promise<Submission | null> {
	const newest = "where s.intent_id = $1 and s.purpose = 'pay' order by s.step desc limit 1";
	return (await readSubmissions(db, newest, [intentId])).items[0] ?? null;
}

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

/**
 * Writes that a submission was sent, and moves its intent where that waits for it, in one
 * statement. Writes nothing where the submission is no longer open, or where the hash belongs to
 * another of the same sender: one hash is for one intent. A hash that other senders claim will not
 * be confirmed by the chain.
 */
export async function recordSent(
	tx: Tx,
	{ submissionId, transactionHash, transactionId, at, lookAt }: Sent,
): Promise<{ isWritten: boolean; isMoved: boolean }> {
	const to = nextStatus("submitting", "sent");
	assert(to !== null, "what is submitting can be sent");
	const rows = await tx.query<{ written: number; moved: number }>(
		`with handed as (
			update wallets.submission as own
			set state = 'sent', transaction_hash = $2, provider_transaction_id = $3, look_at = $6
			where id = $1 and state in ('sending', 'doubtful') and not exists (
				select from wallets.submission as other
				where other.chain_id = own.chain_id and other.sender = own.sender
					and other.transaction_hash = $2 and other.id <> $1
			)
			returning intent_id, purpose
		), moved as (
			update wallets.intent set status = $4, error_code = null, error = null, changed_at = $5
			from handed where id = handed.intent_id and status = 'submitting'
				and handed.purpose = 'pay'
			returning id
		), noted as (
			${noteMove({ event: "'sent'", from: "'submitting'", to: "$4", at: "$5" })}
		)
		select (select count(*) from handed)::int as written,
			(select count(*) from moved)::int as moved`,
		[submissionId, hexToBytes(transactionHash), transactionId, to, at, lookAt],
	);
	const [row] = rows;
	return { isWritten: row?.written === 1, isMoved: row?.moved === 1 };
}

/**
 * Returns whether a hash belongs to another submission of the same sender: one hash is for one
 * intent. A hash that other senders claim will not be confirmed by the chain.
 */
export async function standsForAnother(
	tx: Tx,
	asked: { submissionId: string; chainId: number; transactionHash: Hex },
): Promise<boolean> {
	const rows = await tx.query(
		`select 1 from wallets.submission
		where chain_id = $1 and transaction_hash = $2 and id <> $3
			and sender = (select sender from wallets.submission where id = $3)`,
		[asked.chainId, hexToBytes(asked.transactionHash), asked.submissionId],
	);
	return rows.length > 0;
}
