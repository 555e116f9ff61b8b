import type { Queryable } from "#core/db/Database.ts";
import { readRows } from "#core/quarantine/readRows.ts";
import {
	LOOKS_APART_MAX_MS,
	RECONCILE_ROWS_MAX,
	UNREADABLE_AGAIN_MS,
} from "#plugins/wallets/reconcile/limits.ts";
import type { Submission } from "#plugins/wallets/submission/Submission.ts";
import { type SubmissionRow, submissionRow } from "#plugins/wallets/submission/submissionRow.ts";

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
	await db.execute(
		"update wallets.submission set look_at = null where final_at is null and look_at > $1",
		[new Date(at.getTime() + LOOKS_APART_MAX_MS)],
	);
	const rows = await db.query<SubmissionRow>(
		`select ${submissionRow.columns} from wallets.submission s
		where final_at is null and state <> 'queued' and (look_at is null or look_at <= $2)
			and (
				state <> 'sending'
				or sent_at < $1
				or not exists (select from pg_stat_activity where application_name = s.session)
			)
		order by look_at nulls first limit $3`,
		[new Date(at.getTime() - sendTimeoutMs), at, RECONCILE_ROWS_MAX],
	);
	const { items, unreadable } = await readRows(db, submissionRow, rows);
	if (unreadable.length > 0) await putOff(db, { unreadable, at });
	return items;
}

async function putOff(
	db: Queryable,
	{ unreadable, at }: { unreadable: readonly string[]; at: Date },
): Promise<void> {
	await db.execute("update wallets.submission set look_at = $2 where id = any($1::uuid[])", [
		unreadable,
		new Date(at.getTime() + UNREADABLE_AGAIN_MS),
	]);
}
