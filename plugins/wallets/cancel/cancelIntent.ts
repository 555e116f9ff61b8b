import { hexToBytes } from "viem";
import type { Queryable, Tx } from "#core/db/Database.ts";
import { cancelFault } from "#plugins/wallets/cancel/faults.ts";
import { gapsBelow } from "#plugins/wallets/cancel/gapsBelow.ts";
import { CANCEL_AGAIN_AFTER_MS, FILLS_MAX } from "#plugins/wallets/cancel/limits.ts";
import { type AccountState, readAccount } from "#plugins/wallets/chain/readAccount.ts";
import type { Intent } from "#plugins/wallets/contract.ts";
import { callOff } from "#plugins/wallets/execution/callOff.ts";
import { continueQueued } from "#plugins/wallets/execution/continueQueued.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import { executionFault } from "#plugins/wallets/execution/faults.ts";
import { readIntents } from "#plugins/wallets/intent/intentRow.ts";
import { moveIntent } from "#plugins/wallets/intent/moveIntent.ts";
import { isNonceTaken } from "#plugins/wallets/submission/NonceQueue.ts";
import { readNonceQueue } from "#plugins/wallets/submission/nonceQueueSql.ts";
import { readPayment } from "#plugins/wallets/submission/readPayment.ts";
import { isCancellable, type Submission } from "#plugins/wallets/submission/Submission.ts";

/** A payment with the nonce that it was handed over under. */
type Payment = Submission & { nonce: number };

export type CancelAsked = {
	intentId: string;
	/** For the audit log: `profile:<id>`, `operator:<name>`. */
	actor: string;
	/** Leaves what was sent, or may have been, as it is: throws `intent_state` (409) then. */
	isUnsentOnly?: boolean | undefined;
	signal: AbortSignal;
};

/**
 * Cancels an intent and answers it as it then stands. What was not sent is called off at once, and
 * what waits in the nonce queue too. What was sent, or may have been, is cancelled by its nonce:
 * the intent ends once that is final, or is settled where the payment is mined instead.
 */
export async function cancelIntent(deps: ExecutionDeps, asked: CancelAsked): Promise<Intent> {
	const { intentId } = asked;
	const isOver = await deps.steps.run("commit.owner", () =>
		deps.db.transaction((tx) => cancelUnsent(deps, tx, asked)),
	);
	if (!isOver && asked.isUnsentOnly) throw executionFault.intentState();
	if (!isOver) await cancelByNonce(deps, asked);
	const [intent] = await readIntents(deps.db, [intentId]);
	if (!intent) throw executionFault.notFound();
	return intent;
}

/** False where it was sent, or may have been. */
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
	await tx.query("select 1 from wallets.intent where id = $1 for no key update", [intentId]);
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
	await deps.audit.append(tx, {
		actor,
		action: "trading.intent.cancelled",
		subject: `intent:${intentId}`,
		detail: { before: found.status, wasSent: false },
	});
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

/** Whether a cancellation of that nonce is mined, waits, or was sent a moment ago. */
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
