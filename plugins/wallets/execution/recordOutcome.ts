import { hexToBytes } from "viem";
import type { Tx } from "#core/db/Database.ts";
import type { SendOutcome } from "#plugins/wallets/custody/Custody.ts";
import type { HandOver } from "#plugins/wallets/execution/beginHandOver.ts";
import type { ExecutionWorld } from "#plugins/wallets/execution/ExecutionWorld.ts";
import { moveIntent } from "#plugins/wallets/intent/moveIntent.ts";
import { followSpend } from "#plugins/wallets/spend/followSpend.ts";
import { standsForAnother } from "#plugins/wallets/submission/standsForAnother.ts";

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
	const { chainId } = given.transaction;
	const known =
		outcome.kind === "sent" &&
		(await standsForAnother(tx, {
			submissionId,
			chainId,
			transactionHash: outcome.transactionHash,
		}));
	if (outcome.kind === "sent" && !known) {
		const { transactionHash, transactionId } = outcome;
		const written = await tx.execute(
			`update wallets.submission
			set state = 'sent', transaction_hash = $2, provider_transaction_id = $3
			where id = $1 and state in ('sending', 'doubtful')`,
			[submissionId, hexToBytes(transactionHash), transactionId],
		);
		if (written === 0) return;
		const sent = await moveIntent(tx, { intentId, event: "sent", at });
		if (sent === null) await moveIntent(tx, { intentId, event: "found", at });
		return;
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
