import type { Tx } from "#core/db/Database.ts";
import type { SendOutcome } from "#plugins/wallets/custody/Custody.ts";
import type { ExecutionWorld } from "#plugins/wallets/execution/ExecutionWorld.ts";
import type { HandOver } from "#plugins/wallets/execution/handOverOf.ts";
import { moveIntent } from "#plugins/wallets/intent/moveIntent.ts";
import { followSpend } from "#plugins/wallets/spend/followSpend.ts";
import { recordSent } from "#plugins/wallets/submission/recordSent.ts";

/**
 * Writes what handing over came to. A reconciler that thought this process dead may have been
 * faster: what it found out stands, and only what is still open is moved.
 */
export async function recordOutcome(
	world: ExecutionWorld,
	tx: Tx,
	{ given, outcome }: { given: HandOver; outcome: SendOutcome },
): Promise<void> {
	const { submissionId, intentId } = given;
	const at = new Date(world.clock.nowMs());
	if (outcome.kind === "sent") {
		const { isWritten, isMoved } = await recordSent(tx, { submissionId, at, ...outcome });
		// It was in doubt already, and is found.
		if (isWritten && !isMoved) await moveIntent(tx, { intentId, event: "found", at });
		if (isWritten) return;
		// Not open any more, or a hash that another stands by: then nobody can say whether it left.
	}
	const state = outcome.kind === "refused" ? "never" : "doubtful";
	const written = await tx.execute(
		"update wallets.submission set state = $2 where id = $1 and state = 'sending'",
		[submissionId, state],
	);
	if (written === 0) return;
	if (outcome.kind !== "refused") {
		const detail = outcome.kind === "unknown" ? outcome.detail : "the hash stands for another";
		await moveIntent(tx, { intentId, event: "doubt", at, detail });
		return;
	}
	const { code: errorCode, detail } = outcome;
	await moveIntent(tx, { intentId, event: "refused", at, errorCode, detail });
	await followSpend(tx, { intentId, move: "release", at });
}
