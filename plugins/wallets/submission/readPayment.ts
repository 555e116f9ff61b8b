import type { Queryable } from "#core/db/Database.ts";
import { readRows } from "#core/quarantine/readRows.ts";
import type { Submission } from "#plugins/wallets/submission/Submission.ts";
import { type SubmissionRow, submissionRow } from "#plugins/wallets/submission/submissionRow.ts";

/**
 * The transaction that an intent's newest step pays by; null where there is none yet, and where it
 * cannot be read.
 */
export async function readPayment(db: Queryable, intentId: string): Promise<Submission | null> {
	const rows = await db.query<SubmissionRow>(
		`select ${submissionRow.columns} from wallets.submission s
		where s.intent_id = $1 and s.purpose = 'pay' order by s.step desc limit 1`,
		[intentId],
	);
	return (await readRows(db, submissionRow, rows)).items[0] ?? null;
}
