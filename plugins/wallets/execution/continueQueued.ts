// Hands over what waits in a wallet's nonce queue, one transaction after the other.

import { hexToBytes } from "viem";
import type { Queryable, Tx } from "#core/db/Database.ts";
import { readRows } from "#core/quarantine.ts";
import {
	type AccountState,
	readAccount,
	type Simulation,
} from "#plugins/wallets/chain/readAccount.ts";
import { killDenial } from "#plugins/wallets/control/kill.ts";
import type {
	ExecutionDeps,
	QueueRunEnd,
	QueueRuns,
} from "#plugins/wallets/execution/ExecutionDeps.ts";
import { type HandOver, handOver, handOverOf } from "#plugins/wallets/execution/handOver.ts";
import { readPast } from "#plugins/wallets/execution/readPast.ts";
import { type NonceWait, takeNonce } from "#plugins/wallets/execution/reserveIntent.ts";
import { moveIntent } from "#plugins/wallets/intent/Intent.ts";
import { readIntents } from "#plugins/wallets/intent/intentRow.ts";
import { GAS_WHERE_IT_REVERTS } from "#plugins/wallets/limits.ts";
import type { Intent, Plan } from "#plugins/wallets/model.ts";
import { feeDenial, followSpend } from "#plugins/wallets/spend/spend.ts";
import {
	FEE_LIMIT_TIMES,
	type Fees,
	type HeldNonce,
	isNonceTaken,
	type NonceQueue,
	offeredBy,
	readNonceQueue,
	replacementFees,
} from "#plugins/wallets/submission/nonceQueue.ts";
import { findLike, isUnread, UNREADABLE } from "#plugins/wallets/submission/strays.ts";
import {
	beginSubmission,
	isCancellable,
	readPayment,
	type Submission,
	type SubmissionRow,
	selfTransfer,
	submissionRow,
} from "#plugins/wallets/submission/submission.ts";

export type QueueAsked = { walletId: string; chainId: number; signal: AbortSignal };

export type AccountRead = { account: AccountState; simulations: Simulation[] };

type Given = {
	submission: Submission;
	intent: Intent;
	/** Null: the chain is not served any more. */
	read: AccountRead | null;
	/** Null: the server may not send for the wallet any more. */
	providerWalletId: string | null;
};

type Turn = PromiseWithResolvers<void> & { act: () => Promise<QueueRunEnd> };

/** Holds the next submission to hand over, or why none: it was cancelled, or has to wait. */
type Begun = HandOver | "called off" | NonceWait | "later" | { unreadSince: Date | null };

/** Transactions handed over in one go before others get their turn. */
const TURN_MAX = 50;

/**
 * Hands over what waits in a wallet's nonce queue, one after the other, until nothing is left or
 * something has to be waited for. One run for each queue and process.
 */
export async function continueQueued(deps: ExecutionDeps, asked: QueueAsked): Promise<void> {
	await deps.queueRuns.run(queueKey(asked), () => handOverQueued(deps, asked));
}

/**
 * Ends a payment that was never handed over, and gives back what was reserved for it. False where
 * it is not queued any more: then nothing is written.
 */
export async function callOff(
	deps: Pick<ExecutionDeps, "clock">,
	given: {
		tx: Tx;
		submission: Pick<Submission, "id" | "intentId">;
		code: string;
		detail?: string;
	},
): Promise<boolean> {
	const { tx, submission, code, detail = null } = given;
	const at = new Date(deps.clock.nowMs());
	const { id, intentId } = submission;
	if (!(await endQueued(tx, id, at))) return false;
	await moveIntent(tx, { intentId, event: "refused", at, errorCode: code, detail });
	await followSpend(tx, { intentId, move: "release", at });
	return true;
}

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

/** Ends a queued submission that was never handed over; false where it is not queued any more. */
export async function endQueued(tx: Tx, submissionId: string, at: Date): Promise<boolean> {
	const ended = await tx.execute(
		`update wallets.submission set state = 'never', final_at = $2, final_tx = core.book_tx()
		where id = $1 and state = 'queued'`,
		[submissionId, at],
	);
	return ended > 0;
}

/**
 * Serialises the work on each nonce queue within a process. Two of one queue at once would only
 * wait for each other's locks. All who come while one is under way share the turn after it, which
 * the last of them makes: what one of the others asked for may be given up by then.
 */
export function createQueueRuns(): QueueRuns {
	const running = new Map<string, { next: Turn | null }>();
	const left = new Set<string>();

	/** Takes a turn of the queue; returns a function that gives the result to those who wait. */
	async function take(queue: string, { act, resolve, reject }: Turn): Promise<() => void> {
		try {
			if ((await act()) === "sending") left.add(queue);
			else left.delete(queue);
			return resolve;
		} catch (error) {
			return () => reject(error);
		}
	}

	async function runTurns(queue: string, first: Turn): Promise<void> {
		const run: { next: Turn | null } = { next: null };
		running.set(queue, run);
		for (let turn: Turn | null = first; turn; ) {
			const tell = await take(queue, turn);
			turn = run.next;
			run.next = null;
			// In the same moment in which nobody else was found waiting.
			if (!turn) running.delete(queue);
			tell();
		}
	}

	return {
		run(queue, act) {
			const already = running.get(queue);
			const turn = already?.next ?? { ...Promise.withResolvers<void>(), act };
			turn.act = act;
			if (already) already.next = turn;
			else void runTurns(queue, turn);
			return turn.promise;
		},
		isWaited: (queue) => left.has(queue) || running.has(queue),
	};
}

/** Returns the name of a nonce queue within a process. */
export function queueKey({ walletId, chainId }: { walletId: string; chainId: number }): string {
	return `${walletId} ${chainId}`;
}

/**
 * Hands over what is queued. What was never handed over can still be cancelled, and is where an
 * operator switched it off, the wallet is gone, or what was planned has run out meanwhile.
 */
async function handOverQueued(deps: ExecutionDeps, asked: QueueAsked): Promise<QueueRunEnd> {
	const { signal } = asked;
	let [isAskedAgain, arePaymentsOnly, isPastRead] = [false, false, false];
	for (let turn = 0; turn < TURN_MAX && !signal.aborted; turn++) {
		const submission = await nextQueued(deps.db, { ...asked, arePaymentsOnly });
		if (!submission) return "empty";
		const [intent] = await readIntents(deps.db, [submission.intentId]);
		if (!intent) return "waiting";
		const next = await begin(deps, { submission, intent, signal });
		if (next === "sending") return next;
		// What a node says once and takes back at once holds nobody up.
		if (next === "unproven" && !isAskedAgain) {
			isAskedAgain = true;
			continue;
		}
		if (next === "called off") continue;
		// What it costs is asked again later; until then payments go on, or run out.
		if (next === "later" && submission.purpose !== "pay") {
			arePaymentsOnly = true;
			continue;
		}
		if (typeof next === "string") return "waiting";
		if ("unreadSince" in next) {
			const account = { chainId: submission.chainId, from: submission.sender };
			const read = isPastRead ? "open" : await readPast(deps, { account, signal, ...next });
			if (read === "open") return "waiting";
			isPastRead = read === "read";
			if (read === "unreadable") await endUnreadable(deps, submission);
			continue;
		}
		isAskedAgain = false;
		const { outcome } = await handOver(deps, next);
		if (outcome.kind === "unknown") return "waiting";
	}
	return "waiting";
}

/** Cancellations first: what waits behind them can only go once they are there. */
async function nextQueued(
	db: Queryable,
	given: { walletId: string; chainId: number; arePaymentsOnly: boolean },
): Promise<Submission | null> {
	const { walletId, chainId, arePaymentsOnly } = given;
	const rows = await db.query<SubmissionRow>(
		`select ${submissionRow.columns} from wallets.submission s
		where s.wallet_id = $1 and s.chain_id = $2 and s.state = 'queued'
			and (s.purpose = 'pay' or not $3) and not exists (
			select from core.quarantined_row q where (q.source, q.key) in
				(('wallets.submission', s.id::text), ('wallets.intent', s.intent_id::text))
		)
		order by s.purpose = 'pay', s.nonce, s.created_at, s.id limit 1`,
		[walletId, chainId, arePaymentsOnly],
	);
	// One that cannot be read was handed to nobody: marked, it keeps the others no longer.
	return (await readRows(db, submissionRow, rows)).items[0] ?? null;
}

async function begin(
	deps: ExecutionDeps,
	given: { submission: Submission; intent: Intent; signal: AbortSignal },
): Promise<Begun> {
	const { submission, intent } = given;
	const { plan } = intent;
	const read = await accountOf(deps, given);
	return await deps.steps.run("commit.begin", () =>
		deps.db.transaction(async (tx) => {
			await tx.query("select 1 from wallets.profile where id = $1 for no key update", [
				intent.profileId,
			]);
			const profile = await deps.profileOf(tx, intent.profileId);
			const wallet = profile?.wallets.find(({ id }) => id === intent.walletId);
			const sendable = wallet?.capability === "embedded/delegated" ? wallet : null;
			const providerWalletId = sendable?.providerWalletId ?? null;
			if (submission.purpose !== "pay") {
				return beginSelfTransfer(deps, tx, { ...given, read, providerWalletId });
			}
			const killed = await killDenial(deps, tx, intent);
			const code = killed?.code ?? expiryCode(deps, { intent, plan });
			if (code !== null || !read || !plan || providerWalletId === null) {
				const other = read ? "no_executable_wallet" : "chain_unavailable";
				await callOff(deps, { tx, submission, code: code ?? other });
				return "called off";
			}
			return beginPayment(deps, tx, { submission, intent, plan, providerWalletId, ...read });
		}),
	);
}

/** Reads the account; null where the chain is not served any more. */
async function accountOf(
	deps: ExecutionDeps,
	{ submission, signal }: { submission: Submission; signal: AbortSignal },
): Promise<AccountRead | null> {
	const rpc = deps.rpcOf(submission.chainId);
	if (!rpc) return null;
	const { sender: address, chainId, purpose } = submission;
	const plans = purpose === "pay" ? [] : [selfTransfer({ chainId, from: address })];
	// What one endpoint said of its nonces and we cannot explain is asked of another.
	const second = deps.nonceClaims.isClaimed({ chainId, from: address });
	return await deps.steps.run("rpc.account", () =>
		readAccount(rpc, { address, plans, signal, second }),
	);
}

/** Returns why a queued transaction may no longer be sent; null: it may. */
function expiryCode(
	{ clock, settings }: ExecutionDeps,
	{ intent, plan }: { intent: Intent; plan: Plan | null },
): string | null {
	if (settings.isDryRun) return "trading_disabled";
	const untilMs = Math.min(plan?.expiresAtMs ?? 0, intent.expiresAtMs);
	return clock.nowMs() > untilMs ? "quote_expired" : null;
}

async function beginPayment(
	deps: ExecutionDeps,
	tx: Tx,
	given: {
		submission: Submission;
		intent: Intent;
		plan: Plan;
		account: AccountState;
		providerWalletId: string;
	},
): Promise<Begun> {
	const { submission, intent, plan, account, providerWalletId } = given;
	const { id: submissionId, gasLimit } = submission;
	if (gasLimit === null) return "later";
	// Gas may be cheaper soon: it waits, and is called off when it expires.
	if (feeDenial(deps, { ...plan, gasLimit, account: offeredBy(account, plan) })) return "later";
	const queue = await readNonceQueue(tx, plan, account);
	const isOpen = isUnread({ ...queue.past, ...queue }, account.minedNonce);
	if (isOpen && intent.looksPaid !== UNREADABLE) return queue.past;
	const like = findLike(
		{ ...intent, plan },
		queue.past.strays,
		deps.kindOf(intent.kind)?.repeats ?? "alike",
	);
	if (like) {
		const why = { code: "looks_paid", detail: `${like.hash} is like it, and on no record here` };
		await callOff(deps, { tx, submission, ...why });
		return "called off";
	}
	const taken = takeNonce(deps, { of: plan, account, queue });
	if (taken.kind === "wait") return taken.why;
	const { nonce } = taken;
	const asked = { intent, submissionId, plan, gasLimit, account, providerWalletId, nonce };
	const { next, beginning } = handOverOf(deps, asked);
	// False where another process took it from the queue meanwhile.
	return (await beginSubmission(tx, submissionId, beginning)) ? next : "sending";
}

/** Ends an intent that may have been sent already: it is not sent now; its owner can ask anew. */
async function endUnreadable(deps: ExecutionDeps, submission: Submission): Promise<void> {
	const why = { code: "looks_paid", detail: "what its wallet sent cannot be read any more" };
	await deps.steps.run("commit.begin", () =>
		deps.db.transaction((tx) => callOff(deps, { tx, submission, ...why })),
	);
}

async function giveUp(
	deps: ExecutionDeps,
	tx: Tx,
	submissionId: string,
): Promise<"called off" | "sending"> {
	const isEnded = await endQueued(tx, submissionId, new Date(deps.clock.nowMs()));
	return isEnded ? "called off" : "sending";
}

/** Says whether nothing is left to cancel, or something has the nonce that must not be replaced. */
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

/** Says whether the filling of a gap is in doubt: it is filled again, nothing moves by either. */
function isLostFill({ purpose, state }: HeldNonce): boolean {
	return purpose === "fill" && (state === "doubtful" || state === "dropped");
}

/** Returns what everything of ours offers under the nonce that left, or may have left. */
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
