import type { Queryable } from "#core/db/Database.ts";
import type { Submission } from "#plugins/wallets/submission/Submission.ts";
import { readSubmissions } from "#plugins/wallets/submission/submissionRow.ts";

/**
 * Reads the transaction that an intent's newest step pays by; null where there is none yet, and
 * where it cannot be read.
 */
export async function readPayment(db: Queryable, intentId: string): Promise<Submission | null> {
	const newest = "where s.intent_id = $1 and s.purpose = 'pay' order by s.step desc limit 1";
	return (await readSubmissions(db, newest, [intentId])).items[0] ?? null;
}
