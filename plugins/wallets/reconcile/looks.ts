// Says when submissions are looked at next. Holds the limits of reconciliation.

import type { Queryable } from "#core/db/Database.ts";
import { Fault } from "#core/fault.ts";
import { MINUTE_MS } from "#core/time.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import type { Submission } from "#plugins/wallets/submission/submission.ts";

/** Says how often open submissions are looked up, and limits the time of one lookup. */
export const RECONCILE_EVERY_MS = 1_000;
export const RECONCILE_TIMEOUT_MS = 60_000;
/** Submissions of one tick, of them in one request, and by themselves at once. */
export const RECONCILE_ROWS_MAX = 2_000;
export const LOOKS_TOGETHER_MAX = 100;
export const RECONCILES_AT_ONCE = 8;
/**
 * Delays lookups of submissions that share a block with others: one of them is looked up for all.
 */
export const RIDER_LOOK_MS = 60_000;
/** The delay until a submission whose row cannot be read is tried again. */
export const UNREADABLE_AGAIN_MS = 30_000;
/** Delays the lookups of a few submissions on a chain that cannot be read. */
export const PROBE_AFTER_MS = 2_000;
/** Limits the delay between lookups: a later one was set by a clock that was wrong. */
export const LOOKS_APART_MAX_MS = 1_800_000;
/** Limits the time of looking up one submission. */
export const LOOK_TIMEOUT_MS = 10_000;
/**
 * The wait, after the wallet provider may no longer act on a request, until its silence about it is
 * a proof: its own records lag behind.
 */
export const PROOF_GRACE_MS = 15_000;
/** How long a payment is looked up that was proved never to have been sent. */
export const WATCH_NEVER_MS = 86_400_000;
/** How long it is looked up where no node can repeat the proof, such as what used the nonce. */
export const WATCH_UNNAMED_MS = 7 * WATCH_NEVER_MS;
/**
 * Counts a sent transaction as dropped if no node has known it for this long: nodes forget what
 * waits, and a node that was just started, or is asked for the first time, may not have it yet.
 */
export const UNSEEN_DROPPED_MS = 600_000;
/** Takes an intent up if nothing has continued it for this long: its process may be gone. */
export const STRANDED_AFTER_MS = 10_000;

/** An allowance that waits for another of its wallet's is asked for again after that. */
export const TURN_AFTER_MS = 500;
/** Lets the job take up a nonce queue that has waited for this long. */
export const QUEUE_IDLE_AFTER_MS = 1_000;
/** Delays taking up the same nonce queue again: other queues have their turn first. */
export const QUEUE_AGAIN_AFTER_MS = 1_000;
/** Intents taken up, or expired, in one tick. */
export const STRANDED_MAX = 50;
/** How long a hash that its owner reported is believed after a node last knew it. */
export const SIGNED_UNSEEN_MS = 1_800_000;
/** Limits how many sent transactions of a chain are searched for in a new block. */
export const SENT_ROWS_MAX = 10_000;
/** New blocks that are read at once; of more, the newest. What is older is found by the clock. */
export const HEAD_BLOCKS_MAX = 8;
/** Blocks whose hashes are remembered, for what is written down only after its block came. */
export const REMEMBERED_BLOCKS = 16;
export const REMEMBERED_HASHES_MAX = 200_000;
/** Between two searches for new heads of one chain, however fast its blocks come. */
export const HEADS_APART_MS = 200;
/** Delays a second search of a head's block, for hashes that were written late. */
export const SEARCH_AGAIN_MS = 100;
/** Limits the time of one search of new blocks, with the lookups of what is found in them. */
export const HEAD_TIMEOUT_MS = 10_000;
/** Says how often it is read which chains have sent transactions. */
export const FOLLOW_EVERY_MS = 1_000;
/** How long a chain is followed on which nothing is sent any more: more may come. */
export const FOLLOWED_IDLE_MS = 60_000;
/** Stops following a chain for a transaction that was sent this long ago. */
export const FOLLOWED_SENT_MS = 3_600_000;
/**
 * The interval of asking for a head: without a socket, and with one (not trusted after ten silent
 * ones).
 */
export const HEAD_POLL_MS = 1_000;
export const HEAD_POLL_BESIDE_SOCKET_MS = 2_000;

/**
 * Acts on items, a few at once, until the signal aborts. One that fails is logged, and comes again
 * by the clock; the others go on.
 */
export async function eachAtOnce<Item>(
	deps: Pick<ExecutionDeps, "log">,
	{ items, signal }: { items: readonly Item[]; signal: AbortSignal },
	act: (item: Item) => Promise<unknown>,
): Promise<void> {
	const rest = [...items];
	const work = async () => {
		for (let item = rest.shift(); item !== undefined && !signal.aborted; item = rest.shift()) {
			try {
				await act(item);
			} catch (error) {
				const level = error instanceof Fault ? "warn" : "error";
				deps.log[level]("an intent could not be taken further now", { error });
			}
		}
	};
	await Promise.all(Array.from({ length: RECONCILES_AT_ONCE }, work));
}

/**
 * Sets when submissions are looked up again, before they are looked up: one whose lookup fails, or
 * whose chain is away, must not come first in every turn.
 */
export async function postponeLooks(
	deps: ExecutionDeps,
	submissions: readonly Submission[],
	waitMsMax = Number.POSITIVE_INFINITY,
): Promise<void> {
	if (submissions.length === 0) return;
	const nowMs = deps.clock.nowMs();
	const waitOf = (one: Submission) => Math.min(nextLookMs(one, nowMs), waitMsMax);
	const times = submissions.map((one) => new Date(nowMs + waitOf(one)));
	await deps.steps.run("commit.look", () =>
		deps.db.execute(
			`update wallets.submission s set look_at = due.look_at
			from unnest($1::uuid[], $2::timestamptz[]) as due (id, look_at) where s.id = due.id`,
			[submissions.map(({ id }) => id), times],
		),
	);
}

/**
 * Returns how long to wait before a submission's next lookup, by what is known and for how long.
 */
export function nextLookMs(submission: Submission, nowMs: number): number {
	const ageMs = nowMs - (submission.sentAtMs ?? submission.createdAtMs);
	switch (submission.state) {
		case "sending":
		case "sent":
			// Each look searches what its owner's wallet sent; its own block is searched by its head.
			if (isUnseenOfOwner(submission)) return Math.min(Math.max(ageMs / 4, 1_000), 5 * MINUTE_MS);
			return soonMs(ageMs);
		case "doubtful":
		case "dropped":
		case "refused":
			return soonMs(ageMs);
		case "mined":
		case "reverted":
			// Only a reorg changes anything now.
			return Math.min(Math.max(ageMs / 4, 2_000), MINUTE_MS);
		default:
			return Math.min(Math.max(ageMs / 4, 10_000), LOOKS_APART_MAX_MS);
	}
}

/** Returns whether the owner reported it as sent by their wallet, and no node has shown it. */
function isUnseenOfOwner({ nonce, seenAtMs, purpose }: Submission): boolean {
	return nonce === null && seenAtMs === null && purpose === "pay";
}

function soonMs(ageMs: number): number {
	return ageMs < 2 * MINUTE_MS ? 1_000 : Math.min(ageMs / 10, 5 * MINUTE_MS);
}

/**
 * Moves lookups of a chain's open submissions to the next turn: those that were postponed since a
 * time by lookups that learned nothing; null: all.
 *
 * When one was postponed follows from `nextLookMs`: it waits a tenth of its age. Scans
 * `submission_open`.
 */
export async function wakeLooks(
	deps: Pick<ExecutionDeps, "db" | "steps" | "clock">,
	{ chainId, sinceMs }: { chainId: number; sinceMs: number | null },
): Promise<void> {
	await deps.steps.run("commit.look", () =>
		deps.db.execute(
			`update wallets.submission set look_at = $2::timestamptz
			where chain_id = $1 and final_at is null and look_at > $2::timestamptz
				and state in ('sending', 'sent', 'doubtful', 'dropped', 'refused')
				and ($3::timestamptz is null or look_at >= $3::timestamptz
					+ least(($3::timestamptz - coalesce(sent_at, created_at)) / 10, interval '5 min'))`,
			[chainId, new Date(deps.clock.nowMs()), sinceMs === null ? null : new Date(sinceMs)],
		),
	);
}

/**
 * Moves a submission's lookup to the reconciler's next turn, by its primary key. It comes after all
 * that are due already, and never later than planned.
 *
 * Returns whether that changed something: false for one that is final, was never handed over, or is
 * due.
 */
export async function wakeSubmission(
	db: Queryable,
	{ id, at }: { id: string; at: Date },
): Promise<boolean> {
	const woken = await db.execute(
		`update wallets.submission set look_at = $2
		where id = $1 and final_at is null and state <> 'queued' and look_at > $2`,
		[id, at],
	);
	return woken > 0;
}
