import { bytesToHex } from "viem";
import type { Hex } from "#core/chain/Hex.ts";
import type { Queryable } from "#core/db/Database.ts";
import type { Finding } from "#plugins/wallets/reconcile/lookUp.ts";
import type { Submission } from "#plugins/wallets/submission/Submission.ts";

/**
 * Answers that a submission can never be mined, where a final transaction of ours has its nonce:
 * from our records alone, whatever nodes say or have forgotten. Null proves nothing.
 */
export async function provenByOurs(
	db: Queryable,
	submission: Submission,
): Promise<(Finding & { kind: "never" }) | null> {
	const usedBy = (await usedByOurs(db, [submission])).get(submission.id);
	if (usedBy === undefined) return null;
	const code = submission.nonce === null ? "replaced" : "not_sent";
	return { kind: "never", code, detail: `its nonce went to ${usedBy}`, usedBy };
}

/**
 * Reads which of these submissions lost their nonce to a final transaction of ours, and to which.
 * Along `submission_nonce`, and `submission_of_intent` where an owner's own wallet signed both.
 */
export async function usedByOurs(
	db: Queryable,
	submissions: readonly Submission[],
): Promise<Map<string, Hex>> {
	if (submissions.length === 0) return new Map();
	const isFinal = "id <> s.id and final_at is not null and state in ('mined', 'reverted')";
	const rows = await db.query<{ id: string; hash: Buffer }>(
		`select s.id, used.transaction_hash as hash from wallets.submission s cross join lateral (
			select transaction_hash from wallets.submission
			where chain_id = s.chain_id and sender = s.sender and ${isFinal}
				and nonce = coalesce(s.nonce, s.seen_nonce)
			union all
			select transaction_hash from wallets.submission
			where intent_id = s.intent_id and purpose <> 'pay' and ${isFinal}
				and nonce is null and seen_nonce = coalesce(s.nonce, s.seen_nonce)
			limit 1
		) as used where s.id = any($1::uuid[])`,
		[submissions.map(({ id }) => id)],
	);
	return new Map(rows.map(({ id, hash }) => [id, bytesToHex(hash)]));
}
