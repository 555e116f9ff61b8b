// Cancels intents: at once before they are sent, by their nonce afterwards.

import { hexToBytes } from "viem";
import type { Hex } from "#core/chain/Hex.ts";
import type { Queryable, Tx } from "#core/db/Database.ts";
import {
	CANCEL_AGAIN_AFTER_MS,
	type CancelTerms,
	cancelFault,
	FILLS_MAX,
	gapsBelow,
} from "#plugins/wallets/cancel/planCancellation.ts";
import { type AccountState, readAccount } from "#plugins/wallets/chain/readAccount.ts";
import { callOff, continueQueued } from "#plugins/wallets/execution/continueQueued.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import { executionFault } from "#plugins/wallets/execution/prepareIntent.ts";
import { type IntentStatus, moveIntent } from "#plugins/wallets/intent/Intent.ts";
import { readIntents } from "#plugins/wallets/intent/intentRow.ts";
import type { Intent } from "#plugins/wallets/model.ts";
import { endAsked, isAsked } from "#plugins/wallets/reconcile/expireIntent.ts";
import { isNonceTaken, readNonceQueue } from "#plugins/wallets/submission/nonceQueue.ts";
import {
	isCancellable,
	readPayment,
	type Submission,
} from "#plugins/wallets/submission/submission.ts";
import type { CancelAsked } from "#plugins/wallets/Wallets.ts";

/** A payment with the nonce that it was handed over under. */
type Payment = Submission & { nonce: number };

/**
 * Cancels an intent and returns its new state. One that was not sent, or waits in the nonce queue,
 * ends at once. One that was or may have been sent is cancelled by its nonce: it ends once that is
 * final, or is settled where the payment is mined instead.
 */
export async function cancelIntent(deps: ExecutionDeps, asked: CancelAsked): Promise<Intent> {
	const { intentId } = asked;
	const isCalledOff = await cancelAsked(deps, asked);
	const isOver =
		isCalledOff ||
		(await deps.steps.run("commit.owner", () =>
			deps.db.transaction((tx) => cancelUnsent(deps, tx, asked)),
		));
	if (!isOver && asked.isUnsentOnly) throw executionFault.intentState();
	if (!isOver) await cancelByNonce(deps, asked);
	const [intent] = await readIntents(deps.db, [intentId]);
	if (!intent) throw executionFault.notFound();
	return intent;
}

/**
 * Cancels what an owner's wallet was asked to send, if it has not sent it: the chain is asked
 * first, as the page may have been closed before it reported a hash. Throws where that cannot be
 * found out now.
 */
async function cancelAsked(deps: ExecutionDeps, asked: CancelAsked): Promise<boolean> {
	const { intentId, signal, actor } = asked;
	const [intent] = await readIntents(deps.db, [intentId]);
	if (!intent || !isAsked(intent)) return false;
	const at = new Date(deps.clock.nowMs());
	const move = { event: "deny", errorCode: "cancelled" } as const;
	const also = (tx: Tx) => noteCancelled(deps, tx, { intentId, actor, before: intent.status });
	const end = await endAsked(deps, { intentId, at, signal, intent, move, also });
	if (end === "open") throw cancelFault.notSearched();
	return end === "ended";
}

/**
 * Records the hash of a cancellation that the owner's own wallet reported. One hash belongs to one
 * transaction of ours, so the payment's own, or another's, is refused; a repeated report changes
 * nothing.
 *
 * The report alone does not change the intent: the chain shows which of the two was mined. The
 * nonce must be the one that was asked for: a transaction with another one cancels nothing.
 */
export async function recordCancellation(
	deps: ExecutionDeps,
	tx: Tx,
	given: { intent: Intent; terms: CancelTerms; transactionHash: Hex },
): Promise<void> {
	const { intent, terms, transactionHash } = given;
	const { chainId, from, nonce } = terms;
	const payment = await readPayment(tx, intent.id);
	if (!payment) throw executionFault.intentState();
	if (await isReported(tx, given)) return;
	const written = await tx.execute(
		`insert into wallets.submission (id, intent_id, step, purpose, wallet_id, chain_id, sender,
			state, transaction_hash, seen_nonce, from_block, session, created_at, sent_at)
		select $1, i.id, 0, 'cancel', $3, $4, $5, 'sent', $6, $7, coalesce($8, i.planned_block), $9,
			$10, $10
		from wallets.intent i where i.id = $2
		on conflict do nothing`,
		[
			deps.newId(),
			intent.id,
			payment.walletId,
			chainId,
			hexToBytes(from),
			hexToBytes(transactionHash),
			nonce,
			payment.fromBlock,
			deps.session,
			new Date(deps.clock.nowMs()),
		],
	);
	// Somebody reported it for something else in this moment.
	if (written === 0) throw executionFault.transactionOther();
	await deps.audit.append(tx, {
		actor: `profile:${intent.profileId}`,
		action: "trading.intent.cancellation_signed",
		subject: `intent:${intent.id}`,
		detail: { profileId: intent.profileId, nonce, transactionHash, by: "link" },
	});
}

async function noteCancelled(
	{ audit }: Pick<ExecutionDeps, "audit">,
	tx: Tx,
	{ intentId, actor, before }: { intentId: string; actor: string; before: IntentStatus },
): Promise<void> {
	await audit.append(tx, {
		actor,
		action: "trading.intent.cancelled",
		subject: `intent:${intentId}`,
		detail: { before, wasSent: false },
	});
}

/** Cancels an intent that was not sent; returns false where it was sent, or may have been. */
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
	const [held] = await tx.query<{ status: IntentStatus }>(
		"select status from wallets.intent where id = $1 for no key update",
		[intentId],
	);
	// Its wallet was asked in this moment: what that sends is looked for first.
	if (held?.status === "signature_required") throw cancelFault.handingOver();
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
	await noteCancelled(deps, tx, { intentId, actor, before: found.status });
	return true;
}

/**
 * Takes the nonce from a payment that was sent, or may have been: free lower nonces are filled, by
 * what waits in the queue first and then by transactions of nothing to the wallet itself, and then
 * one of these is sent under the payment's own nonce. Of the two at most one is mined.
 *
 * Asked again it does nothing while a cancellation is on its way, and sends another one, at a
 * better price, where that takes long or was lost.
 */
async function cancelByNonce(deps: ExecutionDeps, asked: CancelAsked): Promise<void> {
	const { intentId, signal } = asked;
	const payment = await cancellable(deps, intentId);
	const { walletId, chainId, sender: address, nonce } = payment;
	const rpc = deps.rpcOf(chainId);
	if (!rpc) throw cancelFault.cancelOff();
	const queue = { walletId, chainId, signal };
	await continueQueued(deps, queue);
	const { account } = await deps.steps.run("rpc.account", () =>
		readAccount(rpc, { address, plans: [], signal }),
	);
	if (account.minedNonce > nonce) {
		// Of a cancellation that is mined there is nothing more to do.
		if (await isUnderWay(deps, deps.db, payment)) return;
		throw cancelFault.nonceUsed();
	}
	await deps.steps.run("commit.cancel", () =>
		deps.db.transaction((tx) => queueCancellation(deps, tx, { asked, payment, account })),
	);
	await continueQueued(deps, queue);
}

async function cancellable(deps: ExecutionDeps, intentId: string): Promise<Payment> {
	const payment = await readPayment(deps.db, intentId);
	if (!payment || !isCancellable(payment)) throw executionFault.intentState();
	if (deps.settings.isDryRun) throw cancelFault.cancelOff();
	const { nonce } = payment;
	// Its owner's own wallet sent it.
	if (nonce === null) throw cancelFault.cancelNotOurs();
	return { ...payment, nonce };
}

/** Says whether a cancellation of that nonce is mined, waits, or was sent a moment ago. */
async function isUnderWay(
	deps: ExecutionDeps,
	db: Queryable,
	{ intentId, nonce }: Payment,
): Promise<boolean> {
	const since = new Date(deps.clock.nowMs() - CANCEL_AGAIN_AFTER_MS);
	const rows = await db.query(
		`select from wallets.submission
		where intent_id = $1 and purpose = 'cancel' and nonce = $2
			and (state in ('queued', 'sending', 'mined', 'reverted')
				or (state = 'sent' and sent_at > $3))`,
		[intentId, nonce, since],
	);
	return rows.length > 0;
}

async function queueCancellation(
	deps: ExecutionDeps,
	tx: Tx,
	given: { asked: CancelAsked; payment: Payment; account: AccountState },
): Promise<void> {
	const { asked, payment, account } = given;
	const { intentId, actor } = asked;
	const { chainId, sender: from, nonce, walletId } = payment;
	const profileId = await lockOwner(deps, tx, { intentId, walletId });
	const now = await readPayment(tx, intentId);
	if (!now || !isCancellable(now)) throw executionFault.intentState();
	const isSent = await isUnderWay(deps, tx, payment);
	const queue = await readNonceQueue(tx, { chainId, from }, account);
	if (!isSent && isNonceTaken(now, queue)) throw cancelFault.nonceTaken();
	const { minedNonce } = account;
	const gaps = gapsBelow(nonce, queue, { minedNonce, max: FILLS_MAX });
	if (isSent && gaps.length === 0) return;
	await insertRows(deps, tx, { payment, gaps, isSent });
	await deps.audit.append(tx, {
		actor,
		action: "trading.intent.cancellation_sent",
		subject: `intent:${intentId}`,
		detail: { profileId, nonce, filledNonces: gaps, before: now.state },
	});
}

/** Locks the profile's row; the service must be able to send for the wallet. */
async function lockOwner(
	deps: ExecutionDeps,
	tx: Tx,
	{ intentId, walletId }: { intentId: string; walletId: string },
): Promise<string> {
	const [row] = await tx.query<{ id: string }>(
		`select p.id from wallets.profile p
		where p.id = (select profile_id from wallets.intent where id = $1) for no key update`,
		[intentId],
	);
	if (!row) throw executionFault.notFound();
	const profile = await deps.profileOf(tx, row.id);
	const wallet = profile?.wallets.find(({ id }) => id === walletId);
	if (wallet?.capability !== "embedded/delegated") throw cancelFault.cancelNotOurs();
	return row.id;
}

async function insertRows(
	deps: ExecutionDeps,
	tx: Tx,
	{ payment, gaps, isSent }: { payment: Payment; gaps: readonly number[]; isSent: boolean },
): Promise<void> {
	const { intentId, walletId, chainId, sender, nonce } = payment;
	const rows = [
		...gaps.map((gap) => ({ purpose: "fill", nonce: gap })),
		...(isSent ? [] : [{ purpose: "cancel", nonce }]),
	];
	await tx.execute(
		`insert into wallets.submission (id, intent_id, step, purpose, wallet_id, chain_id, sender,
			state, nonce, session, created_at)
		select id, $1::uuid, 0, purpose, $2::uuid, $3::int8, $4::bytea, 'queued', nonce, $5, $6
		from unnest($7::uuid[], $8::text[], $9::int8[]) as own (id, purpose, nonce)
		on conflict do nothing`,
		[
			intentId,
			walletId,
			chainId,
			hexToBytes(sender),
			deps.session,
			new Date(deps.clock.nowMs()),
			rows.map(() => deps.newId()),
			rows.map(({ purpose }) => purpose),
			rows.map((row) => row.nonce),
		],
	);
}

/**
 * Returns whether the cancellation was reported for the same intent. Throws where the hash belongs
 * to another transaction.
 */
async function isReported(
	tx: Tx,
	{ intent, terms, transactionHash }: Parameters<typeof recordCancellation>[2],
): Promise<boolean> {
	const [known] = await tx.query<{ intentId: string; purpose: string }>(
		`select intent_id as "intentId", purpose::text as purpose from wallets.submission
		where chain_id = $1 and sender = $2 and transaction_hash = $3`,
		[terms.chainId, hexToBytes(terms.from), hexToBytes(transactionHash)],
	);
	if (!known) return false;
	if (known.intentId === intent.id && known.purpose === "cancel") return true;
	const isPayment = known.intentId === intent.id && known.purpose === "pay";
	throw isPayment
		? executionFault.transactionOther({ public: "That transaction is the payment itself." })
		: executionFault.transactionOther();
}
