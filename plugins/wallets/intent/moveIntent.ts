import type { Tx } from "#core/db/Database.ts";
import type { IntentEvent, IntentStatus } from "#plugins/wallets/intent/IntentStatus.ts";
import { nextStatus } from "#plugins/wallets/intent/intentMachine.ts";

export type IntentMove = {
	intentId: string;
	event: IntentEvent;
	at: Date;
	/** Where it stands as far as the caller knows: one statement less where that is right. */
	expected?: IntentStatus;
	errorCode?: string | null;
	/** For the operator, at most 500 characters of it. */
	detail?: string | null;
};

const DETAIL_LENGTH_MAX = 500;

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

/** False where it does not stand there (any more). */
async function write(
	tx: Tx,
	move: IntentMove,
	{ from, to }: { from: IntentStatus; to: IntentStatus },
): Promise<boolean> {
	const written = await tx.execute(
		`with moved as (
			update wallets.intent set status = $3, error_code = $4, changed_at = $5
			where id = $1 and status = $2 returning id
		)
		${noteMove({ event: "$6", from: "$2", to: "$3", detail: "$7", at: "$5" })}`,
		[
			move.intentId,
			from,
			to,
			move.errorCode ?? null,
			move.at,
			move.event,
			move.detail?.slice(0, DETAIL_LENGTH_MAX) ?? null,
		],
	);
	return written > 0;
}

/**
 * The part that writes moves down, for whoever moves intents in a part `moved (id)` of the same
 * statement. Members are SQL: places of values, or texts in quotes.
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
