import type { Tx } from "#core/db/Database.ts";
import type { IntentEvent, IntentStatus } from "#plugins/wallets/intent/IntentStatus.ts";
import { nextStatus } from "#plugins/wallets/intent/nextStatus.ts";

export type IntentMove = {
	intentId: string;
	event: IntentEvent;
	at: Date;
	errorCode?: string | null;
	/** For the operator, at most 500 characters of it. */
	detail?: string | null;
};

const DETAIL_LENGTH_MAX = 500;

/**
 * Moves an intent by one event and writes that down; null where its machine knows no such move from
 * where it stands, and then nothing is written. The one place that changes a status.
 */
export async function moveIntent(tx: Tx, move: IntentMove): Promise<IntentStatus | null> {
	const rows = await tx.query<{ status: IntentStatus }>(
		"select status from wallets.intent where id = $1 for update",
		[move.intentId],
	);
	const from = rows[0]?.status;
	const to = from && nextStatus(from, move.event);
	if (!from || !to) return null;
	await tx.execute(
		`with moved as (
			update wallets.intent set status = $3, error_code = $4, changed_at = $5
			where id = $1 returning id
		)
		insert into wallets.intent_move (intent_id, seq, event, from_status, to_status, detail, at)
		select id, coalesce((select max(seq) from wallets.intent_move where intent_id = $1), 0) + 1,
			$6, $2, $3, $7, $5
		from moved`,
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
	return to;
}
