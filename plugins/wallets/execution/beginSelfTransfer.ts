import { hexToBytes } from "viem";
import type { Tx } from "#core/db/Database.ts";
import type { AccountState, Simulation } from "#plugins/wallets/chain/readAccount.ts";
import type { Intent } from "#plugins/wallets/contract.ts";
import { endQueued } from "#plugins/wallets/execution/callOff.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import { GAS_WHERE_IT_REVERTS } from "#plugins/wallets/execution/executionConfig.ts";
import { type HandOver, handOverOf } from "#plugins/wallets/execution/handOverOf.ts";
import { feeDenial } from "#plugins/wallets/spend/feeDenial.ts";
import { beginSubmission, selfTransfer } from "#plugins/wallets/submission/beginningOf.ts";
import { FEE_LIMIT_TIMES } from "#plugins/wallets/submission/limits.ts";
import {
	type HeldNonce,
	isNonceTaken,
	type NonceQueue,
} from "#plugins/wallets/submission/NonceQueue.ts";
import { readNonceQueue } from "#plugins/wallets/submission/nonceQueueSql.ts";
import { readPayment } from "#plugins/wallets/submission/readPayment.ts";
import { type Fees, replacementFees } from "#plugins/wallets/submission/replacementFees.ts";
import { isCancellable, type Submission } from "#plugins/wallets/submission/Submission.ts";

type Given = {
	submission: Submission;
	intent: Intent;
	/** Null: the chain is not served any more. */
	read: { account: AccountState; simulations: Simulation[] } | null;
	/** Null: the server may not send for the wallet any more. */
	providerWalletId: string | null;
};

/**
 * Takes a cancellation, or the filling of a gap, from the queue: under the nonce that it was made
 * for, at a price for which nodes take it in place of what has that nonce. One whose nonce is used
 * by now is given up: there is nothing left to cancel or to fill.
 *
 * No switch of an operator's holds it back: it moves nothing. A process that sends nothing does.
 */
export async function beginSelfTransfer(
	deps: ExecutionDeps,
	tx: Tx,
	given: Given,
): Promise<HandOver | "called off" | "sending" | "later"> {
	const { submission, intent, read, providerWalletId } = given;
	const { id: submissionId, chainId, sender: from, nonce } = submission;
	const plan = selfTransfer({ chainId, from });
	if (!read || providerWalletId === null || nonce === null || deps.settings.isDryRun) {
		return giveUp(deps, tx, submissionId);
	}
	const queue = await readNonceQueue(tx, plan, read.account);
	const isUsed = nonce < read.account.minedNonce || nonce < queue.finalCount;
	if (isUsed || (await isNeedless(tx, { submission, queue }))) {
		return giveUp(deps, tx, submissionId);
	}
	if (queue.isSending) return "sending";
	const fees = replacementFees(read.account, await feesAt(tx, submission));
	const account = { ...read.account, ...fees };
	const [simulation] = read.simulations;
	const gasLimit = simulation?.kind === "ok" ? simulation.gasLimit : GAS_WHERE_IT_REVERTS;
	const limitTimes = FEE_LIMIT_TIMES;
	if (feeDenial(deps, { chainId, gasLimit, account, limitTimes })) return "later";
	const asked = { intent, submissionId, plan, gasLimit, account, providerWalletId, nonce };
	const { next, beginning } = handOverOf(deps, { ...asked, purpose: submission.purpose });
	await tx.execute("update wallets.submission set gas_limit = $2 where id = $1", [
		submissionId,
		gasLimit,
	]);
	return (await beginSubmission(tx, submissionId, beginning)) ? next : "sending";
}

/** Whether nothing is left to cancel, or something has the nonce that must not be replaced. */
async function isNeedless(
	tx: Tx,
	{ submission, queue }: { submission: Submission; queue: NonceQueue },
): Promise<boolean> {
	const { purpose, nonce, intentId } = submission;
	if (purpose === "fill") {
		return queue.held.some((one) => one.nonce === nonce && !isLostFill(one));
	}
	const payment = await readPayment(tx, intentId);
	return !payment || !isCancellable(payment) || isNonceTaken(payment, queue);
}

/** A gap whose filling is in doubt is filled again: nothing moves by either. */
function isLostFill({ purpose, state }: HeldNonce): boolean {
	return purpose === "fill" && (state === "doubtful" || state === "dropped");
}

async function giveUp(
	deps: ExecutionDeps,
	tx: Tx,
	submissionId: string,
): Promise<"called off" | "sending"> {
	const isEnded = await endQueued(tx, submissionId, new Date(deps.clock.nowMs()));
	return isEnded ? "called off" : "sending";
}

/** What everything of ours offers under the nonce that left, or may have left. */
async function feesAt(tx: Tx, { chainId, sender, nonce }: Submission): Promise<Fees[]> {
	const rows = await tx.query<{ price: string; tip: string }>(
		`select transaction->>'maxFeePerGas' as price, transaction->>'maxPriorityFeePerGas' as tip
		from wallets.submission
		where chain_id = $1 and sender = $2 and nonce = $3 and transaction is not null
			and state <> 'never'`,
		[chainId, hexToBytes(sender), nonce],
	);
	return rows.map(({ price, tip }) => {
		return { maxFeePerGas: BigInt(price), maxPriorityFeePerGas: BigInt(tip) };
	});
}
