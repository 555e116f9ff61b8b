import { hexToBytes } from "viem";
import type { Hex } from "#core/chain/Hex.ts";
import type { Tx } from "#core/db/Database.ts";
import type { CustodyTransaction, SendOutcome } from "#plugins/custody/contract.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import { executionFault, HAND_OVER_WITHIN_MS } from "#plugins/wallets/execution/prepareIntent.ts";
import { recordOutcome } from "#plugins/wallets/execution/reserveIntent.ts";
import { moveIntent } from "#plugins/wallets/intent/Intent.ts";
import { storePlan } from "#plugins/wallets/intent/intentRow.ts";
import type { Intent, Plan } from "#plugins/wallets/model.ts";
import {
	type Beginning,
	type BeginningAsked,
	beginningOf,
	type SubmissionPurpose,
} from "#plugins/wallets/submission/submission.ts";

/** What is handed over next, under the reference it is known by for ever. */
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

type HandOverAsked = Pick<BeginningAsked, "plan" | "gasLimit" | "account"> & {
	intent: { id: string; profileId: string };
	submissionId: string;
	/** Left out: a payment. */
	purpose?: SubmissionPurpose;
	providerWalletId: string;
	nonce: number;
};

/**
 * Hands one transaction over and writes down what is known of it. Called once for each record of
 * what is about to be handed over, by the process that wrote it; whoever dies in here leaves a
 * record that is looked up, and never handed over again.
 *
 * Answers also when it was written that it left; null where somebody was faster, or it did not.
 */
export async function handOver(
	deps: ExecutionDeps,
	given: HandOver,
): Promise<{ outcome: SendOutcome; sentAtMs: number | null }> {
	const outcome = await deps.steps.run("custody.send", () => send(deps, given));
	return { outcome, sentAtMs: await recordOutcome(deps, { given, outcome }) };
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
		account,
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
 * The owner's own wallet says that it sent. One hash stands for one intent: the same transaction
 * told for two is refused. Whether it is what was planned, the chain tells; until then nothing
 * counts as spent, and limits do not hold what a person signs with their own key.
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
	if (early) await storePlan(tx, { intentId, plan: early });
	else if (intent.status === "waiting") throw executionFault.intentState();
	// What was signed in the last minute is told in the next: the chain is believed, not the clock.
	const event = intent.status === "expired" ? "found" : "sent";
	if ((await moveIntent(tx, { intentId, event, at })) === null) {
		throw executionFault.intentState();
	}
	// Two who report it in the same moment have both found nothing: the unique index decides.
	const written = await tx.execute(
		`insert into wallets.submission (id, intent_id, step, wallet_id, chain_id, sender, state,
			transaction_hash, from_block, session, created_at, sent_at)
		select $1, id, 0, $3, $4, $5, 'sent', $6, planned_block, $7, $8, $8
		from wallets.intent where id = $2
		on conflict do nothing`,
		[deps.newId(), intentId, intent.walletId, intent.chainId, sender, hash, deps.session, at],
	);
	if (written === 0) throw executionFault.transactionOther();
}

/** A process that stood still since its commit is late: others may have drawn their conclusions. */
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
