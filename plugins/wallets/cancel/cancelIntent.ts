import type { Tx } from "#core/db/Database.ts";
import { cancelByNonce } from "#plugins/wallets/cancel/cancelByNonce.ts";
import { cancelFault } from "#plugins/wallets/cancel/faults.ts";
import type { Intent } from "#plugins/wallets/contract.ts";
import { callOff } from "#plugins/wallets/execution/callOff.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import { executionFault } from "#plugins/wallets/execution/faults.ts";
import { moveIntent } from "#plugins/wallets/intent/moveIntent.ts";
import { readIntents } from "#plugins/wallets/intent/readIntents.ts";
import { readPayment } from "#plugins/wallets/submission/readPayment.ts";

export type CancelAsked = {
	intentId: string;
	/** For the audit log: `profile:<id>`, `operator:<name>`. */
	actor: string;
	signal: AbortSignal;
};

/**
 * Cancels an intent and answers it as it then stands. What was not sent is called off at once, and
 * what waits in the nonce queue too. What was sent, or may have been, is cancelled by its nonce:
 * the intent ends once that is final, or is settled where the payment is mined instead.
 */
export async function cancelIntent(deps: ExecutionDeps, asked: CancelAsked): Promise<Intent> {
	const { intentId } = asked;
	const isOver = await deps.steps.run("commit.owner", () =>
		deps.db.transaction((tx) => cancelUnsent(deps, tx, asked)),
	);
	if (!isOver) await cancelByNonce(deps, asked);
	const [intent] = await readIntents(deps.db, [intentId]);
	if (!intent) throw executionFault.notFound();
	return intent;
}

/** False where it was sent, or may have been. */
async function cancelUnsent(
	deps: ExecutionDeps,
	tx: Tx,
	{ intentId, actor }: CancelAsked,
): Promise<boolean> {
	const at = new Date(deps.clock.nowMs());
	const [found] = await readIntents(tx, [intentId]);
	if (!found) throw executionFault.notFound();
	// In the order in which everybody takes them: the profile, the intent.
	await tx.query("select 1 from wallets.profile where id = $1 for no key update", [
		found.profileId,
	]);
	await tx.query("select 1 from wallets.intent where id = $1 for no key update", [intentId]);
	const payment = await readPayment(tx, intentId);
	if (payment && payment.state !== "queued") {
		if (payment.state === "sending") throw cancelFault.handingOver();
		return false;
	}
	if (payment) {
		await callOff(deps, { tx, submission: payment, code: "cancelled" });
	} else {
		const gone = { intentId, event: "deny", at, errorCode: "cancelled" } as const;
		if ((await moveIntent(tx, gone)) === null) throw executionFault.intentState();
	}
	await deps.audit.append(tx, {
		actor,
		action: "trading.intent.cancelled",
		subject: `intent:${intentId}`,
		detail: { before: found.status, wasSent: false },
	});
	return true;
}
