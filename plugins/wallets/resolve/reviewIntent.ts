import type { Tx } from "#core/db/Database.ts";
import { Fault } from "#core/fault/Fault.ts";
import type { Intent } from "#plugins/wallets/contract.ts";
import { advanceBatch } from "#plugins/wallets/execution/advanceBatch.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import { QUESTION_LIFETIME_MS } from "#plugins/wallets/execution/executionConfig.ts";
import { executionFault } from "#plugins/wallets/execution/faults.ts";
import { confirmIntent } from "#plugins/wallets/intent/confirmIntent.ts";
import type { IntentStatus } from "#plugins/wallets/intent/IntentStatus.ts";
import { readBatch, readIntents } from "#plugins/wallets/intent/intentRow.ts";
import { moveIntent } from "#plugins/wallets/intent/moveIntent.ts";
import { CONFIRM_TIMEOUT_MS } from "#plugins/wallets/link/limits.ts";
import { resolveFault } from "#plugins/wallets/resolve/faults.ts";

type Review = {
	intentId: string;
	answer: "approve" | "refuse";
	actor: string;
	/** Aborts when the service ends. */
	ending: AbortSignal;
};

/**
 * Answers the review of an intent, and of its batch, and returns it as it then stands. A yes
 * holds for plans within the one that was looked at; it stands for nobody else's, and takes the
 * intent only as far as it goes without its owner. Written to the audit log.
 */
export async function reviewIntent(deps: ExecutionDeps, review: Review): Promise<Intent> {
	const { intentId, ending } = review;
	const approved = await write(deps, review);
	try {
		const signal = AbortSignal.any([ending, AbortSignal.timeout(CONFIRM_TIMEOUT_MS)]);
		if (approved.length > 0) await advanceBatch(deps, { intents: approved, signal });
	} catch (error) {
		const level = error instanceof Fault ? "warn" : "error";
		deps.log[level]("a reviewed intent could not be taken further now", { intentId, error });
	}
	const [intent] = await readIntents(deps.db, [intentId]);
	if (!intent) throw executionFault.notFound();
	return intent;
}

/** Returns what goes on. */
async function write(deps: ExecutionDeps, { intentId, answer, actor }: Review): Promise<Intent[]> {
	const atMs = deps.clock.nowMs();
	const at = new Date(atMs);
	return await deps.steps.run("commit.owner", () =>
		deps.db.transaction(async (tx) => {
			const [found] = await readIntents(tx, [intentId]);
			if (!found) throw executionFault.notFound();
			if (found.expiresAtMs <= atMs) throw resolveFault.intentState();
			const ids = (await readBatch(tx, found)).map(({ id }) => id).sort();
			await tx.query(
				"select 1 from wallets.intent where id = any($1) order by id for no key update",
				[ids],
			);
			const until = new Date(atMs + QUESTION_LIFETIME_MS);
			for (const id of ids) {
				const moved =
					answer === "approve"
						? await confirmIntent(tx, { intentId: id, by: "operator", at, until })
						: await refuse(tx, { intentId: id, at });
				if (moved === null) throw resolveFault.intentState();
			}
			await deps.audit.append(tx, {
				actor: `operator:${actor}`,
				action: answer === "approve" ? "trading.review.approved" : "trading.review.refused",
				subject: `intent:${intentId}`,
				detail: { intents: ids, reason: found.errorCode, planHash: found.planHash },
			});
			return answer === "approve" ? await readIntents(tx, ids) : [];
		}),
	);
}

/** Null where it does not wait for a review: what is sent, or asks its owner, does not end so. */
async function refuse(tx: Tx, { intentId, at }: { intentId: string; at: Date }) {
	const [row] = await tx.query<{ status: IntentStatus }>(
		"select status from wallets.intent where id = $1",
		[intentId],
	);
	if (row?.status !== "review_required") return null;
	return await moveIntent(tx, { intentId, event: "deny", at, errorCode: "review_refused" });
}
