import type { Queryable, Tx } from "#core/db/Database.ts";
import { readRows } from "#core/quarantine/readRows.ts";
import {
	type AccountState,
	readAccount,
	type Simulation,
} from "#plugins/wallets/chain/readAccount.ts";
import type { Intent, Plan } from "#plugins/wallets/contract.ts";
import { killDenial } from "#plugins/wallets/control/killDenial.ts";
import { beginSelfTransfer } from "#plugins/wallets/execution/beginSelfTransfer.ts";
import { callOff } from "#plugins/wallets/execution/callOff.ts";
import { type QueueRunEnd, queueKey } from "#plugins/wallets/execution/createQueueRuns.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import { handOver } from "#plugins/wallets/execution/handOver.ts";
import { type HandOver, handOverOf } from "#plugins/wallets/execution/handOverOf.ts";
import { type NonceWait, takeNonce } from "#plugins/wallets/execution/takeNonce.ts";
import { readIntents } from "#plugins/wallets/intent/intentRow.ts";
import { feeDenial } from "#plugins/wallets/spend/feeDenial.ts";
import { beginSubmission, selfTransfer } from "#plugins/wallets/submission/beginningOf.ts";
import { readNonceQueue } from "#plugins/wallets/submission/nonceQueueSql.ts";
import type { Submission } from "#plugins/wallets/submission/Submission.ts";
import { type SubmissionRow, submissionRow } from "#plugins/wallets/submission/submissionRow.ts";

/** Transactions handed over in one go before others get their turn. */
const TURN_MAX = 50;

export type QueueAsked = { walletId: string; chainId: number; signal: AbortSignal };

/** What became of the next one: nothing yet, for a reason, or not any more. */
type Begun = HandOver | "called off" | NonceWait | "later";

/**
 * Hands over what waits in a wallet's nonce queue, one after the other, until nothing is left or
 * something has to be waited for. One run for each queue and process.
 */
export async function continueQueued(deps: ExecutionDeps, asked: QueueAsked): Promise<void> {
	await deps.queueRuns.run(queueKey(asked), () => handOverQueued(deps, asked));
}

/**
 * What was never handed over can still be called off, and is where an operator switched it off, the
 * wallet is gone, or what was planned has run out meanwhile.
 */
async function handOverQueued(deps: ExecutionDeps, asked: QueueAsked): Promise<QueueRunEnd> {
	const { signal } = asked;
	let isAskedAgain = false;
	let arePaymentsOnly = false;
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
	// Gas may be cheaper in a moment; what has run out by then is called off.
	if (feeDenial(deps, { chainId: intent.chainId, gasLimit, account, feeRaw: intent.plan?.feeRaw }))
		return "later";
	const queue = await readNonceQueue(tx, plan, account);
	const taken = takeNonce(deps, { of: plan, account, queue });
	if (taken.kind === "wait") return taken.why;
	const { nonce } = taken;
	const asked = { intent, submissionId, plan, gasLimit, account, providerWalletId, nonce };
	const { next, beginning } = handOverOf(deps, asked);
	// False where another process took it from the queue meanwhile.
	return (await beginSubmission(tx, submissionId, beginning)) ? next : "sending";
}

export type AccountRead = { account: AccountState; simulations: Simulation[] };

/** Null where the chain is not served any more. */
async function accountOf(
	deps: ExecutionDeps,
	{ submission, signal }: { submission: Submission; signal: AbortSignal },
): Promise<AccountRead | null> {
	const rpc = deps.rpcOf(submission.chainId);
	if (!rpc) return null;
	const { sender: address, chainId, purpose } = submission;
	const plans = purpose === "pay" ? [] : [selfTransfer({ chainId, from: address })];
	// What one endpoint said of its nonces and we cannot explain is asked of another.
	const second = deps.nonceClaims.isOpen({ chainId, from: address });
	return await deps.steps.run("rpc.account", () =>
		readAccount(rpc, { address, plans, signal, second }),
	);
}

/** Why a queued transaction may no longer be sent; null: it may. */
function expiryCode(
	{ clock, settings }: ExecutionDeps,
	{ intent, plan }: { intent: Intent; plan: Plan | null },
): string | null {
	if (settings.isDryRun) return "trading_disabled";
	const untilMs = Math.min(plan?.expiresAtMs ?? 0, intent.expiresAtMs);
	return clock.nowMs() > untilMs ? "quote_expired" : null;
}
