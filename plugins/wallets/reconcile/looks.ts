// Says when submissions are looked at next. Holds the limits of reconciliation.

import type { Queryable } from "#core/db/Database.ts";
import { Fault } from "#core/fault.ts";
import { MINUTE_MS } from "#core/time.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import type { Submission } from "#plugins/wallets/submission/submission.ts";

/** How often open submissions are looked at, and for how long one look may take. */
export const RECONCILE_EVERY_MS = 1_000;
export const RECONCILE_TIMEOUT_MS = 60_000;
/** Submissions of one tick, of them in one request, and by themselves at once. */
export const RECONCILE_ROWS_MAX = 2_000;
export const LOOKS_TOGETHER_MAX = 100;
export const RECONCILES_AT_ONCE = 8;
/** What is in one block with others is looked at so rarely, and one of them for all. */
export const RIDER_LOOK_MS = 60_000;
/** A submission whose row cannot be read is tried again so much later. */
export const UNREADABLE_AGAIN_MS = 30_000;
/** Of a chain that cannot be read, a few submissions are looked at again so much later. */
export const PROBE_AFTER_MS = 2_000;
/** Nothing is looked at so rarely: a later look was put off by a clock that was wrong. */
export const LOOKS_APART_MAX_MS = 1_800_000;
/** One look at one submission. */
export const LOOK_TIMEOUT_MS = 10_000;
/**
 * Waits so long, after the wallet provider may no longer act on a request, until its silence about
 * it is a proof: its own records lag behind.
 */
export const PROOF_GRACE_MS = 15_000;
/** Looks for so long after a payment that was proved never to have been sent. */
export const WATCH_NEVER_MS = 86_400_000;
/** Looks for so long where no node can repeat the proof, such as what used the nonce. */
export const WATCH_UNNAMED_MS = 7 * WATCH_NEVER_MS;
/**
 * What was sent and no node has known for so long is dropped: nodes forget what waits, and one that
 * was just started, or is asked for the first time, has not heard of it yet.
 */
export const UNSEEN_DROPPED_MS = 600_000;
/** An intent that nobody has taken further for so long is taken up: its process may be gone. */
export const STRANDED_AFTER_MS = 10_000;

/** An allowance that waits for another of its wallet's is asked for again after that. */
export const TURN_AFTER_MS = 500;
/** What waits in a nonce queue for so long is taken up by whoever runs the job. */
export const QUEUE_IDLE_AFTER_MS = 1_000;
/** What the job took up is not taken up again before then: other queues have their turn first. */
export const QUEUE_AGAIN_AFTER_MS = 1_000;
/** Intents taken up, or expired, in one tick. */
export const STRANDED_MAX = 50;
/** A hash that its owner reported is believed in for so long after a node last knew it. */
export const SIGNED_UNSEEN_MS = 1_800_000;
/** Of what is sent on a chain, so many are searched for in a new block. */
export const SENT_ROWS_MAX = 10_000;
/** New blocks that are read at once; of more, the newest. What is older is found by the clock. */
export const HEAD_BLOCKS_MAX = 8;
/** Blocks whose hashes are remembered, for what is written down only after its block came. */
export const REMEMBERED_BLOCKS = 16;
export const REMEMBERED_HASHES_MAX = 200_000;
/** Between two searches for new heads of one chain, however fast its blocks come. */
export const HEADS_APART_MS = 200;
/** So long after a head its block is searched once more, for hashes that were written late. */
export const SEARCH_AGAIN_MS = 100;
/** One search of new blocks, with the looks at what is found in them. */
export const HEAD_TIMEOUT_MS = 10_000;
/** How often it is read which chains have something sent on them. */
export const FOLLOW_EVERY_MS = 1_000;
/** A chain on which nothing is sent any more is followed for so long: more may come. */
export const FOLLOWED_IDLE_MS = 60_000;
/** What was sent so long ago has its chain followed no longer. */
export const FOLLOWED_SENT_MS = 3_600_000;
/** Between polls for a head: without a socket, and with one (doubted after ten of them). */
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
 * Says when submissions are looked at again, before they are looked at: one whose look fails, or
 * whose chain is away, must not stand in front of all others in every turn.
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
 * Returns how long to wait before the next look at a submission, by what is known and for how long.
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

/** Says whether its owner's wallet sent it, by their word, and no node has shown it. */
function isUnseenOfOwner({ nonce, seenAtMs, purpose }: Submission): boolean {
	return nonce === null && seenAtMs === null && purpose === "pay";
}

function soonMs(ageMs: number): number {
	return ageMs < 2 * MINUTE_MS ? 1_000 : Math.min(ageMs / 10, 5 * MINUTE_MS);
}

/**
 * Has what is open on a chain looked at in the next turn, and not when its wait is over: those that
 * were put off since a time, by looks that learned nothing; null: all.
 *
 * When one was put off follows from `nextLookMs`: it waits a tenth of its age. Scans
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
 * Has a submission looked at in the reconciler's next turn, by its primary key. Behind all that is
 * due already, whose `look_at` is earlier, and never later than it was to be looked at anyway.
 *
 * Returns whether that is news: what is final or was never handed over is left alone, as is what is
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
