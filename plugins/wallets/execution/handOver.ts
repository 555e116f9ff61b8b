// Hands a transaction over, and records the result.

import { hexToBytes } from "viem";
import type { Address, Hex } from "#core/chain/Hex.ts";
import { isSqlState, type Tx } from "#core/db/Database.ts";
import type { CustodyTransaction, SendOutcome } from "#plugins/custody/contract.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import { executionFault } from "#plugins/wallets/execution/prepareIntent.ts";
import { type IntentStatus, moveIntent } from "#plugins/wallets/intent/Intent.ts";
import { storePlan } from "#plugins/wallets/intent/intentRow.ts";
import { HAND_OVER_WITHIN_MS } from "#plugins/wallets/limits.ts";
import type { Intent, Plan } from "#plugins/wallets/model.ts";
import { followSpend } from "#plugins/wallets/spend/spend.ts";
import {
	FIRST_LOOK_AFTER_MS,
	FIRST_LOOK_BEHIND_HEADS_MS,
	offeredBy,
} from "#plugins/wallets/submission/nonceQueue.ts";
import { findLike, type PastRow, pastSql } from "#plugins/wallets/submission/strays.ts";
import {
	type Beginning,
	type BeginningAsked,
	beginningOf,
	recordSent,
	type SubmissionPurpose,
} from "#plugins/wallets/submission/submission.ts";

/** Holds what is handed over next, with the reference that never changes. */
export type HandOver = {
	submissionId: string;
	intentId: string;
	purpose: SubmissionPurpose;
	profileId: string;
	providerWalletId: string;
	transaction: CustodyTransaction;
	handOverUntilMs: number;
	validUntilMs: number;
};

type HandOverAsked = Pick<BeginningAsked, "gasLimit" | "account"> & {
	/** A transaction of ours; a payment may want a higher tip than nodes ask for. */
	plan: BeginningAsked["plan"] & Pick<Plan, "tipRaw">;
	intent: { id: string; profileId: string };
	submissionId: string;
	/** Left out: a payment. */
	purpose?: SubmissionPurpose;
	providerWalletId: string;
	nonce: number;
};

type Given = { given: HandOver; outcome: SendOutcome };

/**
 * The error code of an intent that was not sent because a similar unrecorded payment is on the
 * chain.
 */
const LOOKS_PAID_CODE = "looks_paid";

/**
 * Lists the states of an intent that was sent: the owner's wallet may have replaced its
 * transaction.
 */
const SENT_BY_OWNER: ReadonlySet<IntentStatus> = new Set([
	"submitted",
	"uncertain",
	"failed",
	// Called off, and sent all the same.
	"rejected",
]);

/**
 * Keeps a submission in doubt for this long if its sender reported it as sent under a wrong hash:
 * signed bytes exist then, so that nothing is found proves nothing, until its nonce is used.
 */
const SAID_SENT_MS = 100 * 365 * 86_400_000;

/**
 * Hands one transaction over and records the result. Called once for each record of a handover, by
 * the process that wrote it; if the process dies here, the record is looked up, and never handed
 * over again.
 *
 * Returns the written state; null where another process was faster, or it was not sent.
 */
export async function handOver(
	deps: ExecutionDeps,
	given: HandOver,
): Promise<{ outcome: SendOutcome; sentAtMs: number | null }> {
	const outcome = await deps.steps.run("custody.send", () => send(deps, given));
	return { outcome, sentAtMs: await recordOutcome(deps, { given, outcome }) };
}

/**
 * Writes what handing over came to. A reconciler that thought this process dead may have been
 * faster: what it found out stands, and only what is still open is moved.
 *
 * What left is one statement that travels with its commit. Where that finds things otherwise, the
 * rest is another transaction: a hash that is written is looked up whatever its intent says.
 *
 * Answers when it was written, where nobody was faster, that it left.
 */
export async function recordOutcome(
	deps: ExecutionDeps,
	{ given, outcome }: Given,
): Promise<number | null> {
	const { steps, commits } = deps;
	const { submissionId, profileId } = given;
	if (given.purpose !== "pay") {
		await recordSelfTransfer(deps, { given, outcome });
		return null;
	}
	const at = new Date(deps.clock.nowMs());
	const lookAt = firstLookAt(deps, given, at);
	let sent = { isWritten: false, isMoved: false };
	if (outcome.kind === "sent") {
		const record = async (tx: Tx) => {
			sent = await recordSent(tx, { submissionId, at, lookAt, ...outcome });
		};
		await steps.run("commit.outcome", () =>
			commits.together(profileId, async (tx) => {
				tx.beforeCommit(() => record(tx), { singleStatement: true });
			}),
		);
		if (sent.isMoved) return at.getTime();
	}
	await steps.run("commit.outcome", () =>
		commits.together(profileId, async (tx) => {
			const { intentId } = given;
			if (sent.isWritten) await recordFound(tx, { submissionId, intentId, at });
			else await recordNotSent(tx, { given, outcome, at });
		}),
	);
	return null;
}

/** Makes a hand-over, which counts once its beginning is written. */
export function handOverOf(
	deps: Pick<ExecutionDeps, "clock" | "settings" | "session">,
	given: HandOverAsked,
): { next: HandOver; beginning: Beginning } {
	const { intent, submissionId, plan, gasLimit, account, providerWalletId, nonce } = given;
	const nowMs = deps.clock.nowMs();
	const validUntilMs = nowMs + HAND_OVER_WITHIN_MS + deps.settings.sendTimeoutMs;
	const beginning = beginningOf(nonce, {
		plan,
		gasLimit,
		account: offeredBy(account, plan),
		session: deps.session,
		at: new Date(nowMs),
		validUntil: new Date(validUntilMs),
	});
	const next = {
		submissionId,
		intentId: intent.id,
		purpose: given.purpose ?? ("pay" as const),
		profileId: intent.profileId,
		providerWalletId,
		transaction: beginning.transaction,
		handOverUntilMs: nowMs + HAND_OVER_WITHIN_MS,
		validUntilMs,
	};
	return { next, beginning };
}

/**
 * Records that the owner's own wallet reports the payment as sent. One hash is for one intent: the
 * same transaction reported for two is refused. The chain shows whether it is the planned one;
 * until then nothing counts as spent, and limits do not apply to what a person signs with their own
 * key.
 */
export async function recordSigned(
	deps: ExecutionDeps,
	tx: Tx,
	given: { intent: Intent; transactionHash: Hex; early?: Plan | undefined },
): Promise<void> {
	const { intent, transactionHash } = given;
	const at = new Date(deps.clock.nowMs());
	if (intent.transactionHash === transactionHash) return;
	// Nobody planned it yet: what was signed is the plan that its transaction is held against.
	const early = intent.status === "waiting" ? given.early : undefined;
	const from = (early ?? intent.plan)?.from;
	if (!from || intent.walletId === null) throw executionFault.intentState();
	const sender = hexToBytes(from);
	const hash = hexToBytes(transactionHash);
	const told = await tx.query(
		`select 1 from wallets.submission
		where chain_id = $1 and sender = $2 and transaction_hash = $3`,
		[intent.chainId, sender, hash],
	);
	if (told.length > 0) throw executionFault.transactionOther();
	const intentId = intent.id;
	if (wasAskedWhetherPaid(intent)) {
		await recordPaid(deps, tx, { intent, transactionHash, from, at });
		return;
	}
	if (SENT_BY_OWNER.has(intent.status)) {
		await nameAnother(tx, { intentId, hash, at });
		return;
	}
	if (early) await storePlan(tx, { intentId, plan: early });
	else if (intent.status === "waiting") throw executionFault.intentState();
	// What was signed in the last minute is told in the next: the chain is believed, not the clock.
	const event = intent.status === "expired" ? "found" : "sent";
	if ((await moveIntent(tx, { intentId, event, at })) === null) {
		throw executionFault.intentState();
	}
	// If the search after its expiry recorded the payment, the hash is written into that row.
	if ((await tellUnsent(tx, { intentId, hash, at })) > 0) return;
	// Two who report it in the same moment have both found nothing: the unique index decides.
	const written = await tx.execute(
		`insert into wallets.submission (id, intent_id, step, wallet_id, chain_id, sender, state,
			transaction_hash, from_block, session, created_at, sent_at)
		select $1, id, coalesce((
				select max(step) + 1 from wallets.submission
				where intent_id = $2 and purpose = 'pay' and state = 'never' and nonce is null
			), 0), $3, $4, $5, 'sent', $6, planned_block, $7, $8, $8
		from wallets.intent where id = $2
		on conflict do nothing`,
		[deps.newId(), intentId, intent.walletId, intent.chainId, sender, hash, deps.session, at],
	);
	if (written === 0) throw executionFault.transactionOther();
}

/**
 * Says whether the owner was asked whether this was paid. Nothing was sent for it since, so the
 * transaction that it was asked about may have been it.
 */
function wasAskedWhetherPaid({ status, errorCode, looksPaid = null }: Intent): boolean {
	if (status === "failed") return errorCode === LOOKS_PAID_CODE;
	return looksPaid !== null && (status === "confirmation_required" || status === "expired");
}

/**
 * Records the owner's answer that this transaction, of which we have no record, was the payment
 * already. With the same recipient, value and calldata it is followed like any other. For a similar
 * one (another quote or deadline) the chain proves nothing: the intent ends by the owner's answer,
 * and nothing is sent.
 */
async function recordPaid(
	deps: ExecutionDeps,
	tx: Tx,
	given: { intent: Intent; transactionHash: Hex; from: Address; at: Date },
): Promise<void> {
	const { intent, transactionHash, from, at } = given;
	const { id: intentId, plan, chainId, walletId, looksPaid } = intent;
	const [sender, hash] = [hexToBytes(from), hexToBytes(transactionHash)];
	const queue = await tx.query<PastRow>(
		`select ${pastSql.columns({ chain: "$1", sender: "$2" })}`,
		[chainId, sender],
	);
	const strays = pastSql.read(queue[0]).strays.filter((one) => one.hash === transactionHash);
	if (strays.length > 0 && plan && !findLike({ plan }, strays, "exact")) {
		const detail = `its owner: it was ${transactionHash} already`;
		const ended = { intentId, event: "deny", at, errorCode: "paid_before", detail } as const;
		if (looksPaid !== transactionHash || (await moveIntent(tx, ended)) === null)
			throw executionFault.intentState();
	} else {
		const detail = "its owner: it was this already";
		if ((await moveIntent(tx, { intentId, event: "found", at, detail })) === null) {
			throw executionFault.intentState();
		}
		await tx.execute(
			`insert into wallets.submission (id, intent_id, step, wallet_id, chain_id, sender, state,
				transaction_hash, session, created_at, sent_at)
			select $1, $2, 1 + coalesce((
				select max(step) from wallets.submission where intent_id = $2 and purpose = 'pay'
			), -1), $3, $4, $5, 'sent', $6, $7, $8, $8`,
			[deps.newId(), intentId, walletId, chainId, sender, hash, deps.session, at],
		);
	}
	await tx.execute("delete from wallets.stray where chain_id = $1 and sender = $2 and hash = $3", [
		chainId,
		sender,
		hash,
	]);
}

/**
 * Records another hash than the reported one, under which the owner's wallet sent the payment: it
 * replaced, or sped up, a transaction that no node has shown. One that a node has shown is followed
 * by its nonce, and no report changes that.
 */
async function nameAnother(
	tx: Tx,
	{ intentId, hash, at }: { intentId: string; hash: Uint8Array; at: Date },
): Promise<void> {
	if ((await tellUnsent(tx, { intentId, hash, at })) === 0) throw executionFault.intentState();
	await moveIntent(tx, { intentId, event: "found", at });
}

/** Returns 0 where its payment is not its owner's, is final, or was shown by a node. */
async function tellUnsent(
	tx: Tx,
	{ intentId, hash, at }: { intentId: string; hash: Uint8Array; at: Date },
): Promise<number> {
	const told = tx.execute(
		`update wallets.submission set state = 'sent', transaction_hash = $2, sent_at = $3,
			look_at = null
		where intent_id = $1 and purpose = 'pay' and nonce is null and final_at is null
			and seen_at is null and state in ('sent', 'doubtful', 'never')`,
		[intentId, hash, at],
	);
	return await told.catch((error: unknown) => {
		// Somebody told it for another one in this moment.
		throw isSqlState(error, "unique_violation") ? executionFault.transactionOther() : error;
	});
}

/**
 * Sends what was committed. A process that stood still since its commit is late: others may have
 * drawn their conclusions.
 */
async function send(deps: ExecutionDeps, given: HandOver): Promise<SendOutcome> {
	if (deps.clock.nowMs() > given.handOverUntilMs) {
		return { kind: "refused", code: "hand_over_late", detail: "It was not handed over in time." };
	}
	const { providerWalletId, transaction, submissionId, validUntilMs } = given;
	return await deps.custody.send({
		providerWalletId,
		transaction,
		referenceId: submissionId,
		validUntilMs,
		signal: AbortSignal.timeout(deps.settings.sendTimeoutMs),
	});
}

/**
 * Records a cancellation's outcome, which moves its intent only once it is mined, by what is looked
 * up.
 */
async function recordSelfTransfer(deps: ExecutionDeps, { given, outcome }: Given): Promise<void> {
	const { submissionId, profileId } = given;
	const at = new Date(deps.clock.nowMs());
	const lookAt = firstLookAt(deps, given, at);
	await deps.steps.run("commit.outcome", () =>
		deps.commits.together(profileId, async (tx) => {
			const sent = outcome.kind === "sent" ? { submissionId, at, lookAt, ...outcome } : null;
			if (sent && (await recordSent(tx, sent)).isWritten) return;
			const state = outcome.kind === "refused" ? "never" : "doubtful";
			await tx.execute(
				"update wallets.submission set state = $2 where id = $1 and state = 'sending'",
				[submissionId, state],
			);
		}),
	);
}

/** Returns when it is first looked up: each new block is searched anyway, and may hold it. */
function firstLookAt(
	{ looks }: Pick<ExecutionDeps, "looks">,
	{ transaction: { chainId } }: HandOver,
	at: Date,
): Date {
	const isSearchedFor = looks.followed.has(chainId);
	const waitMs = isSearchedFor ? FIRST_LOOK_BEHIND_HEADS_MS : FIRST_LOOK_AFTER_MS;
	return new Date(at.getTime() + waitMs);
}

/**
 * Records that a payment in doubt is found. Between the two transactions its receipt may have been
 * read: then the submission has another state already, and that state is kept.
 */
async function recordFound(
	tx: Tx,
	{ submissionId, intentId, at }: { submissionId: string; intentId: string; at: Date },
): Promise<void> {
	const open = await tx.query(
		"select from wallets.submission where id = $1 and state = 'sent' for update",
		[submissionId],
	);
	if (open.length > 0) await moveIntent(tx, { intentId, event: "found", at });
}

/**
 * Records that it was not sent, even if it was reported as sent: under a hash of another submission
 * that cannot be known.
 */
async function recordNotSent(tx: Tx, { given, outcome, at }: Given & { at: Date }): Promise<void> {
	const { submissionId, intentId } = given;
	const state = outcome.kind === "refused" ? "never" : "doubtful";
	const written = await tx.execute(
		`update wallets.submission set state = $2, valid_until = coalesce($3, valid_until)
		where id = $1 and state = 'sending'`,
		[submissionId, state, outcome.kind === "sent" ? new Date(at.getTime() + SAID_SENT_MS) : null],
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
