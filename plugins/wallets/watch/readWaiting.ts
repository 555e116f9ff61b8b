// Reads intents that wait for too long, and says what can be done about each.

import { bytesToHex, hexToBytes } from "viem";
import type { Address, Hex } from "#core/chain/Hex.ts";
import type { Queryable } from "#core/db/Database.ts";
import type { ExecutionDeps, SlowAfter } from "#plugins/wallets/execution/ExecutionDeps.ts";
import { type IntentError, readError } from "#plugins/wallets/intent/intentError.ts";
import type { SubmissionState, WalletCapability } from "#plugins/wallets/model.ts";
import type { HeldNonce } from "#plugins/wallets/submission/nonceQueue.ts";
import { isCancellable } from "#plugins/wallets/submission/submission.ts";
import {
	HELD_MAX,
	judgeWait,
	QUEUED_BLOCKED_AFTER_MS,
	type Waiting,
	type WaitReason,
	waitWords,
} from "#plugins/wallets/watch/judgeWait.ts";

/** Whose nonces: one wallet on one chain. */
export type QueueAccount = { chainId: number; sender: Address };

export type BlockedQueue = { chainId: number; reason: WaitReason; sinceMs: number };

export type JudgedIntent = WaitingIntent & { reason: WaitReason };

/** An intent that is not settled, as far as it can be read. */
export type WaitingIntent = Waiting & {
	id: string;
	kind: string;
	/** The error code that led to its review. */
	errorCode: string | null;
	error: IntentError | null;
	walletId: string | null;
	/** The chain; null where it cannot be read from the row. */
	chainId: number | null;
	sinceMs: number | null;
	sender: Address | null;
	/** The displayed nonce: ours, or one that a node showed for the owner's own wallet. */
	shownNonce: number | null;
	transactionHash: Hex | null;
	cancellingHash: Hex | null;
	/** What the wallet can do, where it still belongs to the owner. */
	capability: WalletCapability | null;
	isFinal: boolean;
};

export type ListedIntent = JudgedIntent & { waitsFor: string; actions: WaitAction[] };

type JudgeDeps = Pick<ExecutionDeps, "nonceClaims"> & { db: Queryable };

type Row = {
	id: string;
	kind: string;
	status: Waiting["status"];
	error_code: string | null;
	error: unknown;
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

/** Names an action on an intent: one that `resolve` takes, or what another person has to do. */
type WaitAction = {
	name:
		| "callOff"
		| "transactionHash"
		| "abandon"
		| "ownerCancels"
		| "repairRow"
		| "review"
		| "pastKnown"
		| "arrived";
	does: string;
};

type ListDeps = Pick<ExecutionDeps, "db" | "clock" | "nonceClaims" | "settings" | "rpcOf">;

/** Orders the reasons why a queue does not go on, the most serious first. */
const ORDER: readonly WaitReason[] = [
	"unreadable",
	"behind",
	"nonce_gap",
	"nonce_unproven",
	"unseen",
	"slow",
	"handing_over",
	"queued",
];

const NONCE_MAX = 2 ** 48 - 1;

const HELD = `nonce is not null and state not in ('queued', 'never', 'refused')
	and nonce <= ${NONCE_MAX}`;

const COUNT_MAX = 2 ** 48 - 1;

const due = `select id from wallets.intent i
	where status in ('submitting', 'submitted', 'uncertain', 'review_required',
			'confirmation_required') and case status
		when 'uncertain' then true
		when 'confirmation_required' then error_code = 'looks_paid'
		when 'review_required' then true
		when 'submitting' then changed_at < $1
		else changed_at < coalesce((
			select before from unnest($3::int8[], $4::timestamptz[]) as own (chain_id, before)
			where own.chain_id = i.chain_id
		), $2)
	end
	order by changed_at limit $5`;

const SOURCES = "('wallets.intent', 'wallets.submission')";

/** Reads the keys of marks, of which there are few. Keys of other tables may be no uuids. */
const marked = `select
		coalesce(s.intent_id, case when q.source in ${SOURCES} then q.key::uuid end) as id
	from core.quarantined_row q left join wallets.submission s
		on s.id = case when q.source = 'wallets.submission' then q.key::uuid end
	where q.source in ${SOURCES}
	order by q.since limit $5`;

const STATEMENT = `with marked as (${marked}), due as ((${due}) union (select id from marked))
	select i.id, i.kind, i.status, i.error_code, i.error, i.wallet_id,
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

const CALL_OFF_QUEUED: WaitAction = {
	name: "callOff",
	does: "Ends it at once: it was handed to nobody. Its spend is given back.",
};

const CALL_OFF: WaitAction = {
	name: "callOff",
	does:
		"Fills free lower nonces and sends a transaction of nothing under its own. It ends once one " +
		"of the two is final. Asked again after a minute, at a better price.",
};

const TRANSACTION_HASH: WaitAction = {
	name: "transactionHash",
	does: "Settles it by the transaction of that hash, where a node proves that it used the nonce.",
};

const ABANDON: WaitAction = {
	name: "abandon",
	does: "Ends it by whatever used its nonce for good. Refused while the nonce is free.",
};

const OWNER_CANCELS: WaitAction = {
	name: "ownerCancels",
	does:
		"Only its owner can cancel it: by the link of POST /v1/links with the purpose cancel, or in " +
		"their wallet. It ends once that is final.",
};

const REVIEW: WaitAction = {
	name: "review",
	does:
		"`approve` says yes to its plan as it stands, and it is planned anew within that; `refuse` ends " +
		"it. `errorCode` is why it is to be looked at.",
};

const PAST_KNOWN: WaitAction = {
	name: "pastKnown",
	does:
		"Says that you know what the wallet sent without a record, and that it may go on: nothing of it " +
		"is asked about any more. The intent itself waits for its owner, or is asked for anew.",
};

const ARRIVED: WaitAction = {
	name: "arrived",
	does:
		"`true` says that it is where it was to go: `confirmed`. `false` says that it is not: `failed`. " +
		"Its spend counts either way, because it left the wallet.",
};

const REPAIR_ROW: WaitAction = {
	name: "repairRow",
	does: "Put right what core.quarantined_row names, in the database. It goes on by itself then.",
};

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

/**
 * The nonce queues in which something that waits, or was sent, cannot go on: each once, by the most
 * serious reason, since the oldest of that reason waits. What is in doubt by itself blocks nothing.
 */
export function blockedQueues(intents: readonly JudgedIntent[]): BlockedQueue[] {
	const blocked = new Map<string, BlockedQueue>();
	for (const { chainId, sender, sinceMs, reason, state, nonce } of intents) {
		const isOurs = nonce !== null || reason === "unreadable";
		const isInQueue = state === "queued" || state === "sending" || (state === "sent" && isOurs);
		if (chainId === null || sender === null || !isInQueue) continue;
		const place = ORDER.indexOf(reason);
		if (place < 0) continue;
		const one = { chainId, reason, sinceMs: sinceMs ?? Number.POSITIVE_INFINITY };
		const name = queueName({ chainId, sender });
		const other = blocked.get(name);
		const isWorse = !other || place < ORDER.indexOf(other.reason);
		const isOlder = other?.reason === reason && one.sinceMs < other.sinceMs;
		if (isWorse || isOlder) blocked.set(name, one);
	}
	return [...blocked.values()];
}

/** Intents that wait for longer than they should, each with why and with what can be done now. */
export async function listWaiting(deps: ListDeps, limit: number): Promise<ListedIntent[]> {
	const nowMs = deps.clock.nowMs();
	const { slowAfter } = deps.settings;
	const rows = await readWaiting(deps.db, { slowAfter, nowMs, limit });
	const judged = await judgeAll(deps, rows, nowMs);
	return judged.map((one) => ({
		...one,
		waitsFor: waitWords[one.reason].waitsFor,
		actions: actionsOf(deps, one),
	}));
}

/** Returns what each of these intents waits for. Reads each account's nonces only once. */
export async function judgeAll(
	{ db, nonceClaims }: JudgeDeps,
	waiting: readonly WaitingIntent[],
	nowMs: number,
): Promise<JudgedIntent[]> {
	const accounts = new Map<string, QueueAccount>();
	for (const one of waiting) {
		const account = accountOf(one);
		if (account) accounts.set(queueName(account), account);
	}
	const held = await readHeldNonces(db, [...accounts.values()]);
	return waiting.map((one) => {
		const account = accountOf(one);
		const facts = {
			held: (account && held.get(queueName(account))) ?? [],
			isUnproven: account
				? nonceClaims.isClaimed({ chainId: account.chainId, from: account.sender })
				: false,
		};
		return { ...one, reason: judgeWait(one, facts, nowMs) };
	});
}

/**
 * Reads the nonces that accounts' transactions hold, each from the highest on that is mined: one
 * walk along `submission_nonce` to find that, and one from there, for each account. By `queueName`.
 */
export async function readHeldNonces(
	db: Queryable,
	accounts: readonly QueueAccount[],
): Promise<ReadonlyMap<string, readonly HeldNonce[]>> {
	if (accounts.length === 0) return new Map();
	const rows = await db.query<HeldNonce & { place: number }>(
		`select place, held.nonce, held.state::text as state, held.purpose::text as purpose
		from unnest($1::int8[], $2::bytea[]) with ordinality as own (chain_id, sender, place)
		cross join lateral (
			select nonce, state, purpose from wallets.submission
			where chain_id = own.chain_id and sender = own.sender and ${HELD}
				and nonce >= coalesce((
					select nonce from wallets.submission
					where chain_id = own.chain_id and sender = own.sender and ${HELD}
						and state in ('mined', 'reverted')
					order by nonce desc limit 1
				), 0)
			order by nonce limit ${HELD_MAX}
		) held
		order by place, held.nonce`,
		[accounts.map(({ chainId }) => chainId), accounts.map(({ sender }) => hexToBytes(sender))],
	);
	const found = new Map<string, HeldNonce[]>();
	for (const { place, nonce, state, purpose } of rows) {
		const account = accounts[place - 1];
		if (!account) continue;
		const name = queueName(account);
		const held = found.get(name) ?? [];
		held.push({ nonce, state, purpose });
		found.set(name, held);
	}
	return found;
}

/** The name of an account's nonce queue among others of one answer. */
export function queueName({ chainId, sender }: QueueAccount): string {
	return `${chainId} ${sender}`;
}

/** Renders a waiting intent for an operator. */
export function renderWaiting(intent: ListedIntent) {
	const { id, kind, status, errorCode, error, reason, waitsFor, actions } = intent;
	const { cancelling, cancellingHash } = intent;
	const { walletId, chainId, sender, shownNonce, transactionHash, sinceMs } = intent;
	return {
		...{ id, kind, status, errorCode, error, reason, waitsFor, actions },
		cancellation: cancelling && { state: cancelling, transactionHash: cancellingHash },
		...{ walletId, chainId, sender, nonce: shownNonce, transactionHash },
		since: sinceMs === null ? null : new Date(sinceMs).toISOString(),
	};
}

function read(row: Row): WaitingIntent {
	return {
		...{ id: row.id, kind: row.kind, status: row.status, errorCode: row.error_code },
		error: readError(row.error_code, row.error),
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

/**
 * Lists the actions that are possible now. Those that free the intent without another party come
 * first. Empty: one can only wait for what its reason names.
 */
function actionsOf(
	{ rpcOf, settings }: Pick<ExecutionDeps, "rpcOf" | "settings">,
	intent: JudgedIntent,
): WaitAction[] {
	const { state, chainId, isFinal, nonce, status, capability } = intent;
	if (intent.reason === "review") return [REVIEW];
	if (intent.reason === "looks_paid") return [PAST_KNOWN];
	if (intent.reason === "arrival_doubtful") return [ARRIVED];
	if (intent.isUnreadable || state === null) return [REPAIR_ROW];
	if (state === "queued") return [CALL_OFF_QUEUED];
	const isServed = chainId !== null && rpcOf(chainId) !== null;
	if (!isServed || isFinal || state === "sending") return [];
	const actions: WaitAction[] = [];
	const isOurs = nonce !== null && capability === "embedded/delegated";
	const isFree = intent.reason !== "nonce_used" && intent.reason !== "cancelling";
	const isCallable = isFree && isCancellable({ state, finalAtMs: null });
	if (isOurs && !settings.isDryRun && isCallable) actions.push(CALL_OFF);
	if (!isOurs && isCallable) actions.push(OWNER_CANCELS);
	if (status === "uncertain" || status === "submitted") actions.push(TRANSACTION_HASH, ABANDON);
	return actions;
}

function accountOf({ chainId, sender }: WaitingIntent): QueueAccount | null {
	return chainId === null || sender === null ? null : { chainId, sender };
}
