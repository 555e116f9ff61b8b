import { hexToBytes } from "viem";
import type { Tx } from "#core/db/Database.ts";
import type { Denial, Receipt } from "#plugins/wallets/contract.ts";
import type { ExecutionWorld } from "#plugins/wallets/execution/ExecutionWorld.ts";
import { moveIntent } from "#plugins/wallets/intent/moveIntent.ts";
import { WATCH_NEVER_MS } from "#plugins/wallets/reconcile/limits.ts";
import type { Finding } from "#plugins/wallets/reconcile/lookUp.ts";
import { noteSightings } from "#plugins/wallets/reconcile/noteSightings.ts";
import { tellReceipt } from "#plugins/wallets/reconcile/tellReceipt.ts";
import { followSpend } from "#plugins/wallets/spend/followSpend.ts";
import type { Submission, SubmissionState } from "#plugins/wallets/submission/Submission.ts";
import { standsForAnother } from "#plugins/wallets/submission/standsForAnother.ts";

export type Found = {
	submission: Submission;
	finding: Finding;
	/** What the kind says of a receipt of success: null, what was paid for is there. */
	missing: Denial | null;
};

/**
 * Writes what was found out about a submission. The row is locked and read again first: whatever
 * somebody else wrote meanwhile stands, and the next look begins from there.
 */
export async function applyFinding(world: ExecutionWorld, tx: Tx, found: Found): Promise<void> {
	const { submission, finding } = found;
	const at = new Date(world.clock.nowMs());
	const rows = await tx.query<{ state: SubmissionState }>(
		"select state from wallets.submission where id = $1 and final_at is null for no key update",
		[submission.id],
	);
	const isAsRead = rows[0]?.state === submission.state;
	if (!isAsRead) return;
	if (await isAnothers(tx, found)) {
		const detail = "what used its nonce stands for another intent";
		await applyNever(tx, { submission, code: "replaced", detail, at });
		return;
	}
	switch (finding.kind) {
		case "seen":
			await noteSightings(world, tx, { seen: [{ submission, sighting: finding.sighting }], at });
			if (finding.sighting.receipt) {
				await applyReceipt(world, tx, { ...found, receipt: finding.sighting.receipt, at });
			} else {
				await applyInFlight(tx, { submission, transactionHash: finding.transactionHash, at });
			}
			return;
		case "told":
			await applyInFlight(tx, { submission, transactionHash: finding.transactionHash, at });
			return;
		case "dropped":
			await applyDropped(world, tx, { submission, transactionHash: finding.transactionHash, at });
			return;
		case "never":
			await applyNever(tx, { ...finding, submission, at });
			return;
		default:
			await applyUnknown(world, tx, { submission, at });
	}
}

/** What a second transaction of one nonce settles for one intent, it settles for no other. */
async function isAnothers(tx: Tx, { submission, finding }: Found): Promise<boolean> {
	if (finding.kind !== "seen" || finding.transactionHash === submission.transactionHash) {
		return false;
	}
	const { id: submissionId, chainId } = submission;
	const { transactionHash } = finding;
	return await standsForAnother(tx, { submissionId, chainId, transactionHash });
}

async function applyReceipt(
	world: ExecutionWorld,
	tx: Tx,
	given: Found & { receipt: Receipt; at: Date },
): Promise<void> {
	const { submission, receipt, missing, at } = given;
	const { id, intentId, blockHash, state } = submission;
	const next = receipt.succeeded ? "mined" : "reverted";
	if (state === next && blockHash === receipt.blockHash) return;
	if (state === "mined" || state === "reverted") await applyReorg(tx, { submission, at });
	if (state === "never") await followSpend(tx, { intentId, move: "unrelease", at });
	await tx.execute(
		`update wallets.submission set state = $2, transaction_hash = $3, block_number = $4,
			block_hash = $5, look_at = null
		where id = $1`,
		[
			id,
			next,
			hexToBytes(receipt.transactionHash),
			receipt.blockNumber,
			hexToBytes(receipt.blockHash),
		],
	);
	const event = await tellReceipt(tx, { intentId, succeeded: receipt.succeeded, missing, at });
	world.log.info("an intent's transaction is mined", { intentId, event });
}

/** Its receipt is gone, or stands in another block: what followed from it is taken back. */
async function applyReorg(
	tx: Tx,
	{ submission, at }: { submission: Submission; at: Date },
): Promise<void> {
	const { intentId, state } = submission;
	await moveIntent(tx, { intentId, event: "reorged", at });
	const move = state === "mined" ? "unspend" : "unrelease";
	await followSpend(tx, { intentId, move, at });
}

async function applyInFlight(
	tx: Tx,
	given: { submission: Submission; transactionHash: `0x${string}`; at: Date },
): Promise<void> {
	const { submission, transactionHash, at } = given;
	const { id, intentId, state } = submission;
	if (state === "sent") return;
	if (state === "mined" || state === "reverted") await applyReorg(tx, { submission, at });
	if (state === "never") await followSpend(tx, { intentId, move: "unrelease", at });
	await tx.execute(
		`update wallets.submission set state = 'sent', transaction_hash = $2, block_number = null,
			block_hash = null, look_at = null
		where id = $1`,
		[id, hexToBytes(transactionHash)],
	);
	await moveIntent(tx, { intentId, event: "found", at });
}

/** The intent is in doubt again: on its way it is no more, and it can come back at any time. */
async function applyDropped(
	world: ExecutionWorld,
	tx: Tx,
	given: { submission: Submission; transactionHash: `0x${string}`; at: Date },
): Promise<void> {
	const { submission, at } = given;
	const { id, intentId, state } = submission;
	if (state === "dropped") return;
	await applyInFlight(tx, given);
	await tx.execute(
		"update wallets.submission set state = 'dropped', look_at = null where id = $1",
		[id],
	);
	await moveIntent(tx, { intentId, event: "doubt", at, detail: "no node knows it any more" });
	world.log.warn("a transaction was sent, and no node knows it any more", { intentId });
}

async function applyNever(
	tx: Tx,
	given: { submission: Submission; code: string; detail: string; isOthers?: boolean; at: Date },
): Promise<void> {
	const { submission, code, detail, isOthers = false, at } = given;
	const { id, intentId, state } = submission;
	if (state === "never") {
		const watchedMs = at.getTime() - submission.createdAtMs;
		if (watchedMs < WATCH_NEVER_MS) return;
		await tx.execute(
			"update wallets.submission set final_at = $2, final_tx = core.book_tx() where id = $1",
			[id, at],
		);
		return;
	}
	if (state === "mined" || state === "reverted") await applyReorg(tx, { submission, at });
	await tx.execute(
		`update wallets.submission set state = 'never', look_at = null, block_number = null,
			block_hash = null, transaction_hash = case when $2 then null else transaction_hash end
		where id = $1`,
		[id, isOthers],
	);
	await moveIntent(tx, { intentId, event: "disproved", at, errorCode: code, detail });
	await followSpend(tx, { intentId, move: "release", at });
}

async function applyUnknown(
	world: ExecutionWorld,
	tx: Tx,
	{ submission, at }: { submission: Submission; at: Date },
): Promise<void> {
	const { id, intentId, state } = submission;
	if (state === "never" || state === "doubtful") return;
	if (state === "mined" || state === "reverted") await applyReorg(tx, { submission, at });
	await tx.execute(
		`update wallets.submission set state = 'doubtful', transaction_hash = null, look_at = null,
			block_number = null, block_hash = null
		where id = $1`,
		[id],
	);
	await moveIntent(tx, { intentId, event: "doubt", at, detail: "it is being looked for" });
	world.log.warn("nobody can say yet whether a transaction left", { intentId });
}
