// Makes the jobs that reconcile submissions, and take up what was left behind.

import type { Queryable } from "#core/db/Database.ts";
import type { Job } from "#core/schedule.ts";
import { ALLOWANCE } from "#plugins/wallets/allowance.ts";
import { continueQueued } from "#plugins/wallets/execution/continueQueued.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import { resumeWaiting } from "#plugins/wallets/execution/linkedSteps.ts";
import { expireIntent, SEARCH_EXPIRED_AGAIN_MS } from "#plugins/wallets/reconcile/expireIntent.ts";
import { lookAtDue } from "#plugins/wallets/reconcile/lookAtMany.ts";
import {
	eachAtOnce,
	LOOKS_APART_MAX_MS,
	QUEUE_AGAIN_AFTER_MS,
	QUEUE_IDLE_AFTER_MS,
	RECONCILE_EVERY_MS,
	RECONCILE_ROWS_MAX,
	RECONCILE_TIMEOUT_MS,
	STRANDED_AFTER_MS,
	STRANDED_MAX,
	TURN_AFTER_MS,
	UNREADABLE_AGAIN_MS,
} from "#plugins/wallets/reconcile/looks.ts";
import { readSubmissions, type Submission } from "#plugins/wallets/submission/submission.ts";
import type { Execution } from "#plugins/wallets/Wallets.ts";

type WaitingQueue = { walletId: string; chainId: number };

/** Returns the jobs that continue intents when no request waits for them any more. */
export function reconcileJobs(deps: ExecutionDeps, execution: Execution): Job[] {
	const job = (name: string, run: (signal: AbortSignal) => Promise<void>): Job => ({
		name: `wallets.${name}`,
		schedule: { everyMs: RECONCILE_EVERY_MS },
		lock: "cluster",
		timeoutMs: RECONCILE_TIMEOUT_MS,
		run: ({ signal }) => run(signal),
	});
	return [
		job("reconcile", (signal) => reconcileOpen(deps, signal)),
		job("take-up", (signal) => takeUp(deps, execution, signal)),
	];
}

async function reconcileOpen(deps: ExecutionDeps, signal: AbortSignal): Promise<void> {
	const nowMs = deps.clock.nowMs();
	const { sendTimeoutMs } = deps.settings;
	// It puts off what cannot be read.
	const due = await deps.steps.run("commit.look", () =>
		readOpen(deps.db, { sendTimeoutMs, at: new Date(nowMs) }),
	);
	await lookAtDue(deps, { due, signal });
}

/** Intents whose process went away before they were sent, and those whose time is over. */
async function takeUp(
	deps: ExecutionDeps,
	execution: Execution,
	signal: AbortSignal,
): Promise<void> {
	const at = new Date(deps.clock.nowMs());
	const before = new Date(at.getTime() - STRANDED_AFTER_MS);
	const idle = { before: new Date(at.getTime() - QUEUE_IDLE_AFTER_MS), at };
	const queues = await readQueues(deps.db, idle);
	const { expired, created } = await readStranded(deps.db, { at, before });
	const resumed = await resumeWaiting(deps);
	const turns = await readAllowanceTurns(deps.db, at);
	// Side by side: what a node keeps waiting must not keep the rest from its time.
	await Promise.all([
		eachAtOnce(deps, { items: queues, signal }, async (queue) => {
			await postponeQueue(deps, queue);
			await continueQueued(deps, { ...queue, signal });
		}),
		// By itself: of a batch that was confirmed in part nothing goes on, and nothing stays open.
		eachAtOnce(deps, { items: expired, signal }, (intentId) =>
			expireIntent(deps, { intentId, at, signal }),
		),
		eachAtOnce(deps, { items: [...new Set([...resumed, ...turns, ...created])], signal }, (id) =>
			execution.advance([id], signal),
		),
	]);
}

/**
 * Sets when a nonce queue is taken up again, before it is taken up: one that has to wait, or whose
 * node fails, must not come first in every turn.
 */
export async function postponeQueue(
	deps: ExecutionDeps,
	{ walletId, chainId }: WaitingQueue,
): Promise<void> {
	const until = new Date(deps.clock.nowMs() + QUEUE_AGAIN_AFTER_MS);
	await deps.steps.run("commit.look", () =>
		deps.db.execute(
			`update wallets.submission set look_at = $3
			where wallet_id = $1 and chain_id = $2 and state = 'queued'`,
			[walletId, chainId, until],
		),
	);
}

/**
 * Reads nonce queues that have waited so long that no process may be working on them, and that were
 * not taken up a moment ago, longest wait first: one that has to wait again and again must not keep
 * the others from their turn. Rows that cannot be read are left out. A queue that was postponed for
 * longer than the limit, by a clock that was wrong, is due. Scans `submission_open`.
 */
export async function readQueues(
	db: Queryable,
	{ before, at }: { before: Date; at: Date },
): Promise<WaitingQueue[]> {
	return db.query<WaitingQueue>(
		`select wallet_id as "walletId", chain_id as "chainId" from wallets.submission s
		where final_at is null and state = 'queued' and created_at < $1
			and not exists (
				select from core.quarantined_row q where (q.source, q.key) in
					(('wallets.submission', s.id::text), ('wallets.intent', s.intent_id::text))
			)
			and (look_at is null or look_at <= $3 or look_at > $4)
		group by wallet_id, chain_id order by min(coalesce(look_at, created_at)) limit $2`,
		[before, STRANDED_MAX, at, latestLook(at)],
	);
}

/**
 * Reads intents that have expired, and those that nothing has continued for a while: one of each
 * batch, since it stands for the whole. Along the index `intent_open`. What was searched a moment
 * ago, and could not be ended, comes after the others.
 */
export async function readStranded(
	db: Queryable,
	{ at, before }: { at: Date; before: Date },
): Promise<{ expired: string[]; created: string[] }> {
	const expired = await db.query<{ id: string }>(
		`select id from wallets.intent
		where status in ('created', 'confirmation_required', 'review_required', 'signature_required')
			and expires_at <= $1 and (searched_at is null or searched_at <= $3 or searched_at > $1)
		order by coalesce(searched_at, changed_at) limit $2`,
		[at, STRANDED_MAX, new Date(at.getTime() - SEARCH_EXPIRED_AGAIN_MS)],
	);
	const created = await db.query<{ id: string }>(
		`select min(id::text) as id from wallets.intent
		where status = 'created' and changed_at < $1 and expires_at > $2 and not exists (
			select from core.quarantined_row q
			where q.source = 'wallets.intent' and q.key = intent.id::text
		)
		group by coalesce(batch_id, id) order by min(changed_at) limit $3`,
		[before, at, STRANDED_MAX],
	);
	return { expired: expired.map(({ id }) => id), created: created.map(({ id }) => id) };
}

/**
 * Allowances that were held back because another intent of their wallet used the token's: of each
 * wallet and chain the one that waits longest, so a wallet that waits in vain takes one place and
 * not all. They are asked for again at once, and not like those whose process went away. Along the
 * index `intent_open`.
 */
async function readAllowanceTurns(db: Queryable, at: Date): Promise<string[]> {
	const before = new Date(at.getTime() - TURN_AFTER_MS);
	const rows = await db.query<{ id: string }>(
		`select id from (
			select distinct on (wallet_id, chain_id) id, changed_at from wallets.intent
			where status = 'created' and kind = $3 and changed_at < $1 and expires_at > $2
				and not exists (
					select from core.quarantined_row q
					where q.source = 'wallets.intent' and q.key = intent.id::text
				)
			order by wallet_id, chain_id, changed_at, id
		) as first order by changed_at desc limit $4`,
		[before, at, ALLOWANCE, STRANDED_MAX],
	);
	return rows.map(({ id }) => id);
}

/**
 * Submissions that are not final and whose time to be looked at has come, longest overdue first,
 * along the index `submission_open`. What a live process is just handing over is left to it.
 *
 * What was put off for longer than anything is, by a clock that was wrong, is due again.
 *
 * Read row by row: one that cannot be read is left out and put off, so that many of them do not
 * take the turn of all others. Once it is repaired it is read again by itself.
 */
export async function readOpen(
	db: Queryable,
	{ sendTimeoutMs, at }: { sendTimeoutMs: number; at: Date },
): Promise<Submission[]> {
	const { items, unreadable } = await readSubmissions(
		db,
		`where final_at is null and state <> 'queued'
			and (look_at is null or look_at <= $2 or look_at > $4)
			and (
				state <> 'sending'
				or sent_at < $1
				or not exists (select from pg_stat_activity where application_name = s.session)
			)
		order by look_at nulls first limit $3`,
		[new Date(at.getTime() - sendTimeoutMs), at, RECONCILE_ROWS_MAX, latestLook(at)],
	);
	if (unreadable.length > 0) {
		await db.execute("update wallets.submission set look_at = $2 where id = any($1::uuid[])", [
			unreadable,
			new Date(at.getTime() + UNREADABLE_AGAIN_MS),
		]);
	}
	return items;
}

/** Returns the latest time to which a lookup can be postponed by a clock that is right. */
function latestLook(at: Date): Date {
	return new Date(at.getTime() + LOOKS_APART_MAX_MS);
}
