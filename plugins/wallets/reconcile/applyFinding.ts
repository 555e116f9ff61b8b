import { hexToBytes } from "viem";
import type { Hex } from "#core/chain/Hex.ts";
import type { Tx } from "#core/db/Database.ts";
import type { Denial, Receipt } from "#plugins/wallets/contract.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import { moveIntent } from "#plugins/wallets/intent/moveIntent.ts";
import { isFinal } from "#plugins/wallets/reconcile/isFinal.ts";
import { WATCH_NEVER_MS, WATCH_UNNAMED_MS } from "#plugins/wallets/reconcile/limits.ts";
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
export async function applyFinding(deps: ExecutionDeps, tx: Tx, found: Found): Promise<void> {
	const { submission, finding } = found;
	const at = new Date(deps.clock.nowMs());
	const rows = await tx.query<{ state: SubmissionState }>(
		"select state from wallets.submission where id = $1 and final_at is null for no key update",
		[submission.id],
	);
	const isAsRead = rows[0]?.state === submission.state;
	if (!isAsRead) return;
	if (finding.kind === "seen" && submission.purpose === "pay") {
		await disproveReports(tx, { submission, transactionHash: finding.transactionHash });
	}
	if (await isAnothers(tx, found)) {
		await applyAnothers(deps, tx, { ...found, at });
		return;
	}
	switch (finding.kind) {
		case "seen":
			await noteSightings(deps, tx, { seen: [{ submission, sighting: finding.sighting }], at });
			if (finding.sighting.receipt) {
				await applyReceipt(deps, tx, { ...found, receipt: finding.sighting.receipt, at });
			} else {
				await applyInFlight(tx, { submission, transactionHash: finding.transactionHash, at });
			}
			return;
		case "told":
			await applyInFlight(tx, { submission, transactionHash: finding.transactionHash, at });
			return;
		case "dropped":
			await applyLost(deps, tx, { ...finding, submission, state: "dropped", at });
			return;
		case "refused":
			await applyLost(deps, tx, { ...finding, submission, state: "refused", at });
			return;
		case "never":
			await applyNever(deps, tx, { ...finding, submission, at });
			return;
		default:
			await applyUnknown(deps, tx, { submission, at });
	}
}

/** Whether what was found under a new hash is another submission's: one hash stands for one. */
async function isAnothers(tx: Tx, { submission, finding }: Found): Promise<boolean> {
	if (!("transactionHash" in finding)) return false;
	if (finding.transactionHash === submission.transactionHash) return false;
	const { id: submissionId, chainId } = submission;
	const { transactionHash } = finding;
	return await standsForAnother(tx, { submissionId, chainId, transactionHash });
}

/**
 * A payment was seen under a hash that somebody reported as its cancellation, or as another's: it
 * is none, and must not keep the payment from its own hash.
 */
async function disproveReports(
	tx: Tx,
	{ submission, transactionHash }: { submission: Submission; transactionHash: Hex },
): Promise<void> {
	const { chainId, sender } = submission;
	if (transactionHash === submission.transactionHash) return;
	await tx.execute(
		`update wallets.submission set state = 'never', transaction_hash = null, look_at = null,
			block_number = null, block_hash = null
		where chain_id = $1 and sender = $2 and transaction_hash = $3
			and purpose = 'cancel' and nonce is null and final_at is null`,
		[chainId, hexToBytes(sender), hexToBytes(transactionHash)],
	);
}

/**
 * Two payments that are alike have one nonce where the first was refused: what is mined then
 * settles one of them, and ends the other once it is final. A hash that nobody has seen proves
 * nothing.
 */
async function applyAnothers(
	deps: ExecutionDeps,
	tx: Tx,
	{ submission, finding, at }: Found & { at: Date },
): Promise<void> {
	if (finding.kind === "seen" && isFinal(deps, finding.sighting)) {
		const detail = "what used its nonce stands for another intent";
		await applyNever(deps, tx, { submission, code: "replaced", detail, at });
	} else if (finding.kind !== "seen") {
		await applyUnknown(deps, tx, { submission, at });
	}
}

async function applyReceipt(
	deps: ExecutionDeps,
	tx: Tx,
	given: Found & { receipt: Receipt; at: Date },
): Promise<void> {
	const { submission, receipt, missing, at } = given;
	const { id, intentId, blockHash, state } = submission;
	const next = receipt.succeeded ? "mined" : "reverted";
	if (state === next && blockHash === receipt.blockHash) return;
	if (state === "mined" || state === "reverted") await applyReorg(tx, { submission, at });
	if (state === "never") await takeBackRelease(tx, { submission, at });
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
	if (submission.purpose !== "pay") {
		await wakePayment(tx, { intentId, at });
		deps.log.info("a cancellation is mined", { intentId, purpose: submission.purpose });
		return;
	}
	const event = await tellReceipt(tx, { intentId, succeeded: receipt.succeeded, missing, at });
	deps.log.info("an intent's transaction is mined", { intentId, event });
}

/** Has the payment looked at next, whose nonce was used just now. */
async function wakePayment(
	tx: Tx,
	{ intentId, at }: { intentId: string; at: Date },
): Promise<void> {
	await tx.execute(
		`update wallets.submission set look_at = $2
		where intent_id = $1 and purpose = 'pay' and final_at is null and state <> 'queued'`,
		[intentId, at],
	);
}

/** Its receipt is gone, or stands in another block: what followed from it is taken back. */
async function applyReorg(
	tx: Tx,
	{ submission, at }: { submission: Submission; at: Date },
): Promise<void> {
	const { intentId, state, purpose } = submission;
	if (purpose !== "pay") return;
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
	if (state === "never") await takeBackRelease(tx, { submission, at });
	await tx.execute(
		`update wallets.submission set state = 'sent', transaction_hash = $2, block_number = null,
			block_hash = null, look_at = null
		where id = $1`,
		[id, hexToBytes(transactionHash)],
	);
	if (submission.purpose === "pay") await moveIntent(tx, { intentId, event: "found", at });
}

/** What was thought to be gone can be mined after all: its spend is reserved again. */
async function takeBackRelease(
	tx: Tx,
	{ submission, at }: { submission: Submission; at: Date },
): Promise<void> {
	const { intentId, purpose } = submission;
	if (purpose === "pay") await followSpend(tx, { intentId, move: "unrelease", at });
}

/**
 * It is on its way no more, and a node may still learn of it at any time: its intent is in doubt,
 * and its spend stays reserved.
 */
async function applyLost(
	deps: ExecutionDeps,
	tx: Tx,
	given: {
		submission: Submission;
		transactionHash: `0x${string}`;
		state: "dropped" | "refused";
		at: Date;
	},
): Promise<void> {
	const { submission, state, at } = given;
	const { id, intentId } = submission;
	if (submission.state === state) return;
	await applyInFlight(tx, given);
	await tx.execute(
		`update wallets.submission set state = $2, transaction_hash = $3, look_at = null
		where id = $1`,
		[id, state, hexToBytes(given.transactionHash)],
	);
	if (submission.purpose !== "pay") return;
	const detail = {
		dropped: "no node knows it any more",
		refused: "the wallet provider gave it up, and it was signed",
	}[state];
	await moveIntent(tx, { intentId, event: "doubt", at, detail });
	deps.log.warn("a transaction was signed, and no node knows it", { intentId, detail });
}

async function applyNever(
	deps: ExecutionDeps,
	tx: Tx,
	given: {
		submission: Submission;
		code: string;
		detail: string;
		isOthers?: boolean;
		usedBy?: `0x${string}`;
		at: Date;
	},
): Promise<void> {
	const { submission, detail, isOthers = false, usedBy, at } = given;
	const { id, intentId, state } = submission;
	if (state === "never") {
		await endWatch(tx, { submission, forMs: WATCH_NEVER_MS, at });
		return;
	}
	if (state === "mined" || state === "reverted") await applyReorg(tx, { submission, at });
	await tx.execute(
		`update wallets.submission set state = 'never', look_at = null, block_number = null,
			block_hash = null, transaction_hash = case when $2 then null else transaction_hash end
		where id = $1`,
		[id, isOthers],
	);
	if (submission.purpose !== "pay") {
		deps.log.warn("a cancellation will not be mined", { intentId, detail });
		return;
	}
	const isCancelled = usedBy !== undefined && (await isCancellation(tx, { intentId, usedBy }));
	const errorCode = isCancelled ? "cancelled" : given.code;
	await moveIntent(tx, { intentId, event: "disproved", at, errorCode, detail });
	await followSpend(tx, { intentId, move: "release", at });
}

/** What was proved never to have left is looked at no more, once it was watched for so long. */
async function endWatch(
	tx: Tx,
	{ submission, forMs, at }: { submission: Submission; forMs: number; at: Date },
): Promise<void> {
	if (at.getTime() - submission.createdAtMs < forMs) return;
	await tx.execute(
		"update wallets.submission set final_at = $2, final_tx = core.book_tx() where id = $1",
		[submission.id, at],
	);
}

async function isCancellation(
	tx: Tx,
	{ intentId, usedBy }: { intentId: string; usedBy: `0x${string}` },
): Promise<boolean> {
	const rows = await tx.query(
		`select from wallets.submission
		where intent_id = $1 and purpose <> 'pay' and transaction_hash = $2`,
		[intentId, hexToBytes(usedBy)],
	);
	return rows.length > 0;
}

async function applyUnknown(
	deps: ExecutionDeps,
	tx: Tx,
	{ submission, at }: { submission: Submission; at: Date },
): Promise<void> {
	const { id, intentId, state } = submission;
	// A node that forgot old blocks cannot name what used its nonce, and never will.
	if (state === "never") return endWatch(tx, { submission, forMs: WATCH_UNNAMED_MS, at });
	if (state === "doubtful") return;
	if (state === "mined" || state === "reverted") await applyReorg(tx, { submission, at });
	await tx.execute(
		`update wallets.submission set state = 'doubtful', transaction_hash = null, look_at = null,
			block_number = null, block_hash = null
		where id = $1`,
		[id],
	);
	if (submission.purpose !== "pay") return;
	await moveIntent(tx, { intentId, event: "doubt", at, detail: "it is being looked for" });
	deps.log.warn("nobody can say yet whether a transaction left", { intentId });
}
