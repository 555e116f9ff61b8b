import type { Tx } from "#core/db/Database.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import { moveIntent } from "#plugins/wallets/intent/moveIntent.ts";
import { followSpend } from "#plugins/wallets/spend/followSpend.ts";
import type { Submission } from "#plugins/wallets/submission/Submission.ts";

/**
 * Ends a payment that was never handed over, and gives back what was reserved for it. False where
 * it is not queued any more: then nothing is written.
 */
export async function callOff(
	deps: Pick<ExecutionDeps, "clock">,
	given: { tx: Tx; submission: Pick<Submission, "id" | "intentId">; code: string },
): Promise<boolean> {
	const { tx, submission, code } = given;
	const at = new Date(deps.clock.nowMs());
	const { id, intentId } = submission;
	if (!(await endQueued(tx, id, at))) return false;
	await moveIntent(tx, { intentId, event: "refused", at, errorCode: code });
	await followSpend(tx, { intentId, move: "release", at });
	return true;
}

/** Ends what was handed to nobody; false where it is not queued any more. */
export async function endQueued(tx: Tx, submissionId: string, at: Date): Promise<boolean> {
	const ended = await tx.execute(
		`update wallets.submission set state = 'never', final_at = $2, final_tx = core.book_tx()
		where id = $1 and state = 'queued'`,
		[submissionId, at],
	);
	return ended > 0;
}
