import type { Queryable } from "#core/db/Database.ts";
import { RECONCILE_ROWS_MAX } from "#plugins/wallets/reconcile/limits.ts";
import type { Submission } from "#plugins/wallets/submission/Submission.ts";
import { type SubmissionRow, submissionRow } from "#plugins/wallets/submission/submissionRow.ts";

/**
 * Submissions that are not final and whose time to be looked at has come, longest overdue first,
 * along the index `submission_open`. What a live process is just handing over is left to it.
 */
export async function readOpen(
	db: Queryable,
	{ sendTimeoutMs, at }: { sendTimeoutMs: number; at: Date },
): Promise<Submission[]> {
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
	return rows.map(submissionRow.read);
}
