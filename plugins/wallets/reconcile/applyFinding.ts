// Writes down what was found out about a submission, and moves its intent.

import { hexToBytes } from "viem";
import type { Hex } from "#core/chain/Hex.ts";
import type { Tx } from "#core/db/Database.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import type { Missing } from "#plugins/wallets/IntentKind.ts";
import { moveIntent } from "#plugins/wallets/intent/Intent.ts";
import type { Receipt, SubmissionState } from "#plugins/wallets/model.ts";
import { WATCH_NEVER_MS, WATCH_UNNAMED_MS } from "#plugins/wallets/reconcile/looks.ts";
import { isFinal, noteSightings, tellReceipt } from "#plugins/wallets/reconcile/settleMined.ts";
import {
	type Fact,
	type Finding,
	factOf,
	stateOf,
	transitions,
} from "#plugins/wallets/reconcile/transitions.ts";
import { followSpend } from "#plugins/wallets/spend/spend.ts";
import { type Submission, standsForAnother } from "#plugins/wallets/submission/submission.ts";

export type Found = {
	submission: Submission;
	finding: Finding;
	/**
	 * Why what was paid for is missing, as the kind answered after a successful receipt; null: it is
	 * there.
	 */
	missing: Missing | null;
	/** The part of the reservation that was spent; null: all of it. */
	spentRaw?: bigint | null;
};

/** Holds what a finding changes: `transitions` decides it, and all writes follow from it. */
type Change = Found & {
	fact: Fact;
	to: SubmissionState;
	receipt: Receipt | null;
	at: Date;
};

/**
 * Says why an intent is in doubt: its transaction may still be mined, and its spend stays reserved.
 */
const DOUBTS: Partial<Record<SubmissionState, string>> = {
	doubtful: "it is being looked for",
	dropped: "no node knows it any more",
	refused: "the wallet provider gave it up, and it was signed",
};

/**
 * Writes what was found out about a submission. The row is locked and read again first: what
 * another process wrote meanwhile is kept, and the next lookup begins from there.
 */
export async function applyFinding(deps: ExecutionDeps, tx: Tx, found: Found): Promise<void> {
	const { submission } = found;
	const { state, purpose } = submission;
	const rows = await tx.query<{ state: SubmissionState }>(
		`select state from wallets.submission
		where id = $1 and final_at is null and transaction_hash is not distinct from $2
		for no key update`,
		[submission.id, bytesOf(submission.transactionHash)],
	);
	const from = stateOf(submission);
	if (from === null || rows[0]?.state !== state) return;
	const at = new Date(deps.clock.nowMs());
	if (found.finding.kind === "seen" && purpose === "pay") {
		await disproveReports(tx, { submission, transactionHash: found.finding.transactionHash });
	}
	const finding = await withoutAnothers(deps, tx, found);
	if (finding === null) return;
	if (finding.kind === "seen") {
		await noteSightings(deps, tx, { seen: [{ submission, sighting: finding.sighting }], at });
	}
	const fact = factOf(finding);
	const to = transitions[from][fact];
	const receipt = finding.kind === "seen" ? finding.sighting.receipt : null;
	const change: Change = { ...found, finding, fact, to, receipt, at };
	if (to === "never" && state === "never") await endWatch(tx, change);
	else if (to !== state || (receipt && receipt.blockHash !== submission.blockHash)) {
		await writeChange(deps, tx, change);
	} else if (fact === "reverted" && purpose === "pay") await tellRevert(tx, change);
}

/**
 * Deletes reports of a payment's hash as a cancellation, or as another payment's: they are wrong,
 * and must not keep the payment from its own hash.
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
 * Returns what a finding means where its hash is another submission's: one hash is for one. Two
 * payments that are alike have one nonce where the first was refused: the mined one settles one of
 * them, and ends the other once it is final (null until then). A hash that no node has shown proves
 * nothing.
 */
async function withoutAnothers(
	{ settings }: ExecutionDeps,
	tx: Tx,
	{ submission: { id: submissionId, chainId, transactionHash: own }, finding }: Found,
): Promise<Finding | null> {
	if (!("transactionHash" in finding) || finding.transactionHash === own) return finding;
	const { transactionHash } = finding;
	if (!(await standsForAnother(tx, { submissionId, chainId, transactionHash }))) return finding;
	if (finding.kind !== "seen") return { kind: "unknown" };
	if (!isFinal({ settings }, finding.sighting)) return null;
	const detail = "what used its nonce stands for another intent";
	return { kind: "never", code: "replaced", detail, usedBy: transactionHash };
}

/**
 * Ends the lookups of a submission that is proved never to be mined: at once where its nonce was
 * finally used, else after a time. A node that forgot old blocks cannot show again what used a
 * nonce.
 */
async function endWatch(tx: Tx, { submission, finding, at }: Change): Promise<void> {
	const isProved = finding.kind === "never";
	const forMs = isProved ? WATCH_NEVER_MS : WATCH_UNNAMED_MS;
	const isOver = isProved && finding.usedBy !== undefined;
	if (!isOver && at.getTime() - submission.createdAtMs < forMs) return;
	await tx.execute(
		"update wallets.submission set final_at = $2, final_tx = core.book_tx() where id = $1",
		[submission.id, at],
	);
}

async function writeChange(deps: ExecutionDeps, tx: Tx, change: Change): Promise<void> {
	const { submission, finding, to, receipt, at } = change;
	const { id, intentId, purpose } = submission;
	const isOver = finding.kind === "never" && finding.usedBy !== undefined;
	if (purpose === "pay") await takeBack(tx, change);
	await tx.execute(
		`update wallets.submission set state = $2, transaction_hash = $3, block_number = $4,
			block_hash = $5, look_at = null, final_at = coalesce($6, final_at),
			final_tx = case when $6::timestamptz is not null then core.book_tx() else final_tx end
		where id = $1`,
		[
			...[id, to, bytesOf(hashAfter(change)), receipt?.blockNumber ?? null],
			...[bytesOf(receipt?.blockHash), isOver ? at : null],
		],
	);
	deps.log.info("a look changed a submission", { intentId, purpose, from: submission.state, to });
	if (change.missing?.isDoubtful) {
		const { detail } = change.missing;
		deps.log.warn("a receipt and the balances of its block differ", { intentId, detail });
	}
	if (purpose === "pay") await tellIntent(tx, change);
	else if (receipt) await wakePayment(tx, { intentId, at });
}

/** Undoes what followed from a receipt that is gone or elsewhere, or from a proof that was none. */
async function takeBack(tx: Tx, { submission, at }: Change): Promise<void> {
	const { intentId, state } = submission;
	const isMined = state === "mined" || state === "reverted";
	if (isMined) await moveIntent(tx, { intentId, event: "reorged", at });
	if (state === "mined") await followSpend(tx, { intentId, move: "unspend", at });
	if (state === "reverted" || state === "never") {
		await followSpend(tx, { intentId, move: "unrelease", at });
	}
}

function bytesOf(hex: Hex | null | undefined): Uint8Array | null {
	return hex ? hexToBytes(hex) : null;
}

function hashAfter({ submission, finding }: Change): Hex | null {
	if ("transactionHash" in finding) return finding.transactionHash;
	const isKept = finding.kind === "never" && finding.isOthers !== true;
	return isKept ? submission.transactionHash : null;
}

/** Moves the intent of a payment, and its spend, as its submission has moved. */
async function tellIntent(tx: Tx, change: Change): Promise<void> {
	const { submission, finding, missing, to, receipt, at } = change;
	const { intentId } = submission;
	if (receipt?.succeeded || change.fact === "reverted") {
		const { spentRaw = null } = change;
		const succeeded = receipt?.succeeded === true;
		const detail = spedUpOf(change);
		await tellReceipt(tx, { intentId, succeeded, missing, spentRaw, at, detail });
	} else if (to === "never" && finding.kind === "never") {
		const { usedBy, detail, code } = finding;
		const isCancelled = usedBy !== undefined && (await isCancellation(tx, { intentId, usedBy }));
		const errorCode = isCancelled ? "cancelled" : code;
		await moveIntent(tx, { intentId, event: "disproved", at, errorCode, detail });
		await followSpend(tx, { intentId, move: "release", at });
	} else {
		if (to !== "doubtful") await moveIntent(tx, { intentId, event: "found", at });
		const detail = DOUBTS[to];
		const isOfReorg = submission.state === "mined" || submission.state === "reverted";
		const errorCode = to === "dropped" && isOfReorg ? "dropped_by_reorg" : null;
		if (detail) await moveIntent(tx, { intentId, event: "doubt", at, errorCode, detail });
	}
}

/**
 * Returns the hash that an owner's wallet had reported before it sped the payment up: the same
 * payment has another hash now; null where it did not.
 */
function spedUpOf({ submission: { nonce, transactionHash }, finding }: Change): string | null {
	if (nonce !== null || transactionHash === null || finding.kind !== "seen") return null;
	if (finding.transactionHash === transactionHash) return null;
	return `sped up: its wallet sent it as ${finding.transactionHash} in place of ${transactionHash}`;
}

async function isCancellation(
	tx: Tx,
	{ intentId, usedBy }: { intentId: string; usedBy: Hex },
): Promise<boolean> {
	const rows = await tx.query(
		`select from wallets.submission
		where intent_id = $1 and purpose <> 'pay' and transaction_hash = $2`,
		[intentId, hexToBytes(usedBy)],
	);
	return rows.length > 0;
}

/** Makes the payment due whose nonce was used just now. */
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

/** Notifies the owner of a revert that one source had claimed before; once only. */
async function tellRevert(tx: Tx, { submission: { intentId }, at }: Change): Promise<void> {
	const told = { intentId, event: "reverted", at, errorCode: "reverted_on_chain" } as const;
	if ((await moveIntent(tx, told)) === null) return;
	await followSpend(tx, { intentId, move: "release", at });
}
