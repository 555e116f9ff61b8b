// Defines the states of an intent, and moves it by events.

import type { Tx } from "#core/db/Database.ts";
import { nextState, type StateTable } from "#core/states.ts";
import { type Denial, errorOf, errorOfCode } from "#plugins/wallets/intent/intentError.ts";

/** Names the events of an intent. */
export type IntentEvent =
	/** Policy, balance or simulation refused it, or its owner cancelled it: nothing was sent. */
	| "deny"
	| "ask_confirmation"
	| "ask_review"
	| "ask_signature"
	| "skip_dry_run"
	/** The owner confirmed: the intent is planned anew. */
	| "approve"
	/** An operator approved what was to be reviewed: it is planned anew. */
	| "pass_review"
	/** Another step comes before it. */
	| "wait"
	/** The step before it is confirmed: it is planned now. */
	| "resume"
	/** Its goal is already reached: nothing is sent. */
	| "skip_done"
	| "expire"
	/** Its signature is made and stored; its spend counts from now on. */
	| "sign"
	/** The spend is reserved and the submission recorded, in one transaction. */
	| "reserve"
	/** The wallet provider, or the owner's own wallet, gave the hash. */
	| "sent"
	/** The wallet provider refused in a way that proves that nothing was sent. */
	| "refused"
	/** Nobody can say whether it left. */
	| "doubt"
	/** Looked up: there it is. */
	| "found"
	/** The chain's newest receipt of it. */
	| "mined"
	| "reverted"
	/** Mined and paid for, and what was paid for is not there. */
	| "missed"
	/**
	 * The payment can never be mined: it was never sent, or its nonce went to another transaction.
	 */
	| "disproved"
	/** The block of its receipt left the chain. */
	| "reorged";

export type IntentMove = {
	intentId: string;
	event: IntentEvent;
	at: Date;
	/** The state that the caller expects: saves a statement where it is right. */
	expected?: IntentStatus;
	errorCode?: string | null;
	/** Details for operators, at most 500 characters. */
	detail?: string | null;
	/** Replaces both fields above: the owner is shown all of it. */
	denial?: Denial | null;
};

/**
 * Names who approves. One does not replace the other; each approval is for the plan that was shown.
 */
export type Yes = "owner" | "operator";

/**
 * Lists the states of an intent. `confirmed` and `failed` are what the chain shows, and follow it.
 */
export const intentStatuses = [
	"created",
	"rejected",
	"confirmation_required",
	"review_required",
	"signature_required",
	/** Waits for the step before it to be confirmed. */
	"waiting",
	"submitting",
	"submitted",
	"uncertain",
	"confirmed",
	"failed",
	"expired",
	"dry_run",
] as const;

export type IntentStatus = (typeof intentStatuses)[number];

/**
 * Every move an intent can make. What is not here is refused and logged: a status is only ever
 * written through `moveIntent`.
 *
 * Money can have left from `submitting` on, so from there no way leads back to where it is sent.
 */
export const intentMachine: StateTable<IntentStatus, IntentEvent> = {
	created: {
		deny: "rejected",
		ask_confirmation: "confirmation_required",
		ask_review: "review_required",
		ask_signature: "signature_required",
		skip_dry_run: "dry_run",
		skip_done: "confirmed",
		sign: "confirmed",
		wait: "waiting",
		reserve: "submitting",
		expire: "expired",
	},
	// Asked whether it was paid already, its owner may say by which transaction.
	confirmation_required: {
		...{ approve: "created", deny: "rejected", expire: "expired" },
		found: "submitted",
	},
	review_required: { pass_review: "created", deny: "rejected", expire: "expired" },
	// It does not expire: the step that it waits for does, and then it ends with that.
	// An owner's own wallet may sign both without waiting: then the chain says what it came to.
	waiting: {
		...{ resume: "created", sent: "submitted" },
		...{ deny: "rejected", skip_dry_run: "dry_run" },
	},
	signature_required: { sent: "submitted", deny: "rejected", expire: "expired" },
	submitting: {
		sent: "submitted",
		refused: "failed",
		doubt: "uncertain",
		found: "submitted",
		mined: "confirmed",
		reverted: "failed",
		missed: "failed",
		disproved: "failed",
	},
	submitted: {
		mined: "confirmed",
		reverted: "failed",
		missed: "failed",
		doubt: "uncertain",
		disproved: "failed",
	},
	uncertain: {
		found: "submitted",
		mined: "confirmed",
		reverted: "failed",
		missed: "failed",
		disproved: "failed",
	},
	confirmed: { reorged: "uncertain" },
	// A receipt in a block that is gone, or a hash that turned up after all.
	failed: { reorged: "uncertain", found: "submitted" },
	// Called off by its owner, whose wallet sends it all the same: the chain is believed.
	rejected: { found: "submitted" },
	// A signature can be given in the minute its link runs out: the chain is believed.
	expired: { found: "submitted" },
	dry_run: {},
};

const DETAIL_LENGTH_MAX = 500;

const YES = {
	owner: { event: "approve", column: "confirmed_plan" },
	operator: { event: "pass_review", column: "reviewed_plan" },
} as const;

/**
 * Records an approval of an intent's plan, and moves the intent on to be planned anew. Returns its
 * new state; null where it does not wait for that approval. The caller holds the lock of its row.
 */
export async function confirmIntent(
	tx: Tx,
	{ intentId, by, at, until }: { intentId: string; by: Yes; at: Date; until?: Date },
): Promise<IntentStatus | null> {
	const { event, column } = YES[by];
	const moved = await moveIntent(tx, { intentId, event, at });
	if (moved === null) return null;
	await tx.execute(
		`update wallets.intent set ${column} = plan, expires_at = greatest(expires_at, $2)
		where id = $1`,
		[intentId, until ?? null],
	);
	return moved;
}

/**
 * Moves an intent by one event and writes that down; null where its machine knows no such move from
 * where it stands, and then nothing is written. What else changes a status in one statement with
 * other rows (`reserveIntent`, `recordSent`, `settleMined`) asks the same machine.
 *
 * Its row's key does not change, so the lock leaves whoever writes rows that refer to it alone: who
 * settles a cancellation holds such a lock and waits for the payment's row, which the caller holds.
 */
export async function moveIntent(tx: Tx, move: IntentMove): Promise<IntentStatus | null> {
	const hoped = move.expected && nextStatus(move.expected, move.event);
	if (move.expected && hoped && (await write(tx, move, { from: move.expected, to: hoped }))) {
		return hoped;
	}
	const rows = await tx.query<{ status: IntentStatus }>(
		"select status from wallets.intent where id = $1 for no key update",
		[move.intentId],
	);
	const from = rows[0]?.status;
	const to = from && nextStatus(from, move.event);
	if (!from || !to) return null;
	await write(tx, move, { from, to });
	return to;
}

/** Returns the status to which the event leads; null where the machine knows no such move. */
export function nextStatus(from: IntentStatus, event: IntentEvent): IntentStatus | null {
	return nextState(intentMachine, from, event);
}

/**
 * Returns the part of a statement that writes moves down, for whoever moves intents in a part
 * `moved (id)` of the same statement. Members are SQL: places of values, or texts in quotes.
 */
export function noteMove(
	move: Record<"event" | "from" | "to" | "at", string> & { detail?: string },
): string {
	const { event, from, to, at, detail = "null" } = move;
	return `insert into wallets.intent_move
			(intent_id, seq, event, from_status, to_status, detail, at)
		select id, 1 + coalesce((
				select max(seq) from wallets.intent_move where intent_id = moved.id
			), 0), ${event}, ${from}, ${to}, ${detail}, ${at}
		from moved`;
}

/**
 * Returns what operators read of a denial: its sentence, and what the node or contract answered.
 */
function noted(denial: Denial | null): string | null {
	if (denial === null) return null;
	return denial.heard === undefined ? denial.detail : `${denial.detail} ${denial.heard}`;
}

/** Writes the new status; returns false where the intent has another status by now. */
async function write(
	tx: Tx,
	move: IntentMove,
	{ from, to }: { from: IntentStatus; to: IntentStatus },
): Promise<boolean> {
	const { denial = null, errorCode = null } = move;
	const { detail = noted(denial) } = move;
	const code = denial?.code ?? errorCode;
	const error = denial ? errorOf(denial) : code === null ? null : errorOfCode(code);
	const written = await tx.execute(
		`with moved as (
			update wallets.intent set status = $3, error_code = $4, error = $8, changed_at = $5
			where id = $1 and status = $2 returning id
		)
		${noteMove({ event: "$6", from: "$2", to: "$3", detail: "$7", at: "$5" })}`,
		[
			move.intentId,
			from,
			to,
			code,
			move.at,
			move.event,
			detail?.slice(0, DETAIL_LENGTH_MAX) ?? null,
			error && JSON.stringify(error),
		],
	);
	return written > 0;
}
