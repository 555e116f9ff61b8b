import { bytesToHex } from "viem";
import type { Address, Hex } from "#core/chain/Hex.ts";
import type { Queryable } from "#core/db/Database.ts";
import type { WalletCapability } from "#plugins/wallets/contract.ts";
import type { SlowAfter } from "#plugins/wallets/execution/ExecutionDeps.ts";
import type { SubmissionState } from "#plugins/wallets/submission/Submission.ts";
import type { Waiting } from "#plugins/wallets/watch/judgeWait.ts";
import { QUEUED_BLOCKED_AFTER_MS } from "#plugins/wallets/watch/WaitReason.ts";

/** An intent that is not settled, as far as it can be read. */
export type WaitingIntent = Waiting & {
	id: string;
	kind: string;
	/** Why it is to be reviewed. */
	errorCode: string | null;
	walletId: string | null;
	/** Null, as whatever else cannot be read of the row. */
	chainId: number | null;
	sinceMs: number | null;
	sender: Address | null;
	/** Also the one that a node showed, where its owner's wallet chose it. */
	shownNonce: number | null;
	transactionHash: Hex | null;
	cancellingHash: Hex | null;
	/** Of the wallet, where it is still its owner's. */
	capability: WalletCapability | null;
	isFinal: boolean;
};

const COUNT_MAX = 2 ** 48 - 1;

/**
 * Reads intents that are in doubt, are to be reviewed, wait in a nonce queue, or were sent for
 * longer than their chain needs, those first that are so for longest, and all that are or whose
 * payment is in quarantine.
 *
 * Walks `intent_open` from its oldest entry to those of ten seconds ago, so what is paid and
 * settled costs nothing; each row found is looked up by `submission_step`, `submission_of_intent`
 * and primary keys. Numbers and times that are not what they must be are read as null: one row must
 * not keep the others from being shown.
 */
export async function readWaiting(
	db: Queryable,
	{ slowAfter, nowMs, limit }: { slowAfter: SlowAfter; nowMs: number; limit: number },
): Promise<WaitingIntent[]> {
	const before = (ms: number) => new Date(nowMs - ms);
	const chains = [...slowAfter.byChain];
	const rows = await db.query<Row>(STATEMENT, [
		before(QUEUED_BLOCKED_AFTER_MS),
		before(slowAfter.defaultMs),
		chains.map(([chainId]) => chainId),
		chains.map(([, ms]) => before(ms)),
		limit,
	]);
	return rows.map(read);
}

const due = `select id from wallets.intent i
	where status in ('submitting', 'submitted', 'uncertain', 'review_required') and case status
		when 'uncertain' then true
		when 'review_required' then true
		when 'submitting' then changed_at < $1
		else changed_at < coalesce((
			select before from unnest($3::int8[], $4::timestamptz[]) as own (chain_id, before)
			where own.chain_id = i.chain_id
		), $2)
	end
	order by changed_at limit $5`;

const SOURCES = "('wallets.intent', 'wallets.submission')";

/** By the keys of marks, of which there are few. Keys of other tables may be no uuids. */
const marked = `select
		coalesce(s.intent_id, case when q.source in ${SOURCES} then q.key::uuid end) as id
	from core.quarantined_row q left join wallets.submission s
		on s.id = case when q.source = 'wallets.submission' then q.key::uuid end
	where q.source in ${SOURCES}
	order by q.since limit $5`;

const STATEMENT = `with marked as (${marked}), due as ((${due}) union (select id from marked))
	select i.id, i.kind, i.status, i.error_code, i.wallet_id,
		case when i.chain_id between 1 and ${Number.MAX_SAFE_INTEGER} then i.chain_id end as chain_id,
		case when isfinite(i.changed_at) then i.changed_at end as changed_at,
		s.sender, s.state::text as state, s.transaction_hash, s.final_at is not null as is_final,
		case when s.nonce between 0 and ${COUNT_MAX} then s.nonce end as nonce,
		case when s.seen_nonce between 0 and ${COUNT_MAX} then s.seen_nonce end as seen_nonce,
		case when isfinite(s.seen_at) then s.seen_at end as seen_at,
		c.state::text as cancelling, c.transaction_hash as cancelling_hash, w.capability,
		exists (select from marked where marked.id = i.id) as is_unreadable
	from due join wallets.intent i on i.id = due.id
		left join lateral (
			select * from wallets.submission
			where intent_id = i.id and purpose = 'pay' order by step desc limit 1
		) s on true
		left join lateral (
			select state, transaction_hash from wallets.submission
			where intent_id = i.id and purpose = 'cancel' order by created_at desc, id desc limit 1
		) c on true
		left join wallets.wallet w on w.id = i.wallet_id and w.removed_at is null
	order by i.changed_at limit $5`;

type Row = {
	id: string;
	kind: string;
	status: Waiting["status"];
	error_code: string | null;
	wallet_id: string | null;
	chain_id: number | null;
	changed_at: Date | null;
	sender: Uint8Array | null;
	state: SubmissionState | null;
	transaction_hash: Uint8Array | null;
	is_final: boolean;
	nonce: number | null;
	seen_nonce: number | null;
	seen_at: Date | null;
	cancelling: SubmissionState | null;
	cancelling_hash: Uint8Array | null;
	capability: WalletCapability | null;
	is_unreadable: boolean;
};

function read(row: Row): WaitingIntent {
	return {
		id: row.id,
		kind: row.kind,
		status: row.status,
		errorCode: row.error_code,
		walletId: row.wallet_id,
		chainId: row.chain_id,
		sinceMs: row.changed_at && row.changed_at.getTime(),
		sender: row.sender && bytesToHex(row.sender),
		state: row.state,
		nonce: row.nonce,
		shownNonce: row.nonce ?? row.seen_nonce,
		transactionHash: row.transaction_hash && bytesToHex(row.transaction_hash),
		isFinal: row.is_final,
		seenAtMs: row.seen_at && row.seen_at.getTime(),
		cancelling: row.cancelling,
		cancellingHash: row.cancelling_hash && bytesToHex(row.cancelling_hash),
		capability: row.capability,
		isUnreadable: row.is_unreadable,
	};
}
