// Lets operators settle an intent that the service cannot settle by itself.

import type { Audit } from "#core/audit/createAudit.ts";
import type { Hex } from "#core/chain/Hex.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import { isSqlState, type Queryable, type Tx } from "#core/db/Database.ts";
import { defineFaults, Fault } from "#core/fault.ts";
import { quarantineFault } from "#core/quarantine.ts";
import { findByNonce, readAccount } from "#plugins/wallets/chain/readAccount.ts";
import { readAgreed } from "#plugins/wallets/chain/secondOpinion.ts";
import { advanceBatch } from "#plugins/wallets/execution/advanceBatch.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import { executionFault } from "#plugins/wallets/execution/prepareIntent.ts";
import { believePast } from "#plugins/wallets/execution/readPast.ts";
import { confirmIntent, type IntentStatus, moveIntent } from "#plugins/wallets/intent/Intent.ts";
import { readBatch, readIntents } from "#plugins/wallets/intent/intentRow.ts";
import { QUESTION_LIFETIME_MS } from "#plugins/wallets/limits.ts";
import { CONFIRM_TIMEOUT_MS } from "#plugins/wallets/link/createLinks.ts";
import type { Intent } from "#plugins/wallets/model.ts";
import { applyFinding } from "#plugins/wallets/reconcile/applyFinding.ts";
import { missingOf } from "#plugins/wallets/reconcile/lookTogether.ts";
import { provenByOurs } from "#plugins/wallets/reconcile/lookUp.ts";
import { nonceAsked, seeTransaction } from "#plugins/wallets/reconcile/seeTransaction.ts";
import { type Expected, isFinal } from "#plugins/wallets/reconcile/settleMined.ts";
import type { Finding } from "#plugins/wallets/reconcile/transitions.ts";
import { readSubmissions, type Submission } from "#plugins/wallets/submission/submission.ts";

/** Holds an operator's claim: a transaction of the intent; null: that it should be given up. */
export type Claim = { transactionHash: Hex | null };

export type Resolution = { intentId: string; claim: Claim; actor: string; signal: AbortSignal };

type Asked = { submission: Submission; plan: Expected; rpc: Rpc; signal: AbortSignal };

type Review = {
	intentId: string;
	answer: "approve" | "refuse";
	actor: string;
	/** Aborts when the service ends. */
	ending: AbortSignal;
};

/** Names why the chain does not prove a claim about an intent. Nothing is changed then. */
export const resolveFault = defineFaults({
	intentState: {
		status: 409,
		retry: "never",
		public:
			"The intent is neither uncertain nor submitted, nor does it wait for a review: there is " +
			"nothing to resolve.",
		advice: "Read the list of waiting intents again.",
	},
	evidenceMissing: {
		status: 409,
		retry: "never",
		public: "No node here knows that transaction.",
		advice: "Check the hash and the chain, or wait until a node here has the transaction.",
	},
	evidenceOther: {
		status: 409,
		retry: "never",
		public: "That transaction is not the one that was planned, and did not use its nonce.",
		advice: "Name the transaction that used the intent's nonce.",
	},
	evidenceShallow: {
		status: 409,
		retry: "later",
		public: "What used the nonce is not mined deep enough yet. Ask again later.",
		advice: "Ask again after some blocks.",
	},
	nonceFree: {
		status: 409,
		retry: "never",
		public:
			"The nonce is still free, so whoever has the transaction can still send it. Have the " +
			"account use the nonce for something else first.",
		advice:
			"Have the account use that nonce for something else, or call the intent off with " +
			"`callOff`.",
	},
	nonceUnknown: {
		status: 409,
		retry: "never",
		public: "The node cannot say which transaction used the nonce, if any did. Name its hash.",
		advice: "Name the hash of the transaction that used the nonce.",
	},
	nothingNew: {
		status: 409,
		retry: "never",
		public: "The transaction is on its way, and the intent says so already.",
		advice: "Wait: the intent follows its transaction by itself.",
	},
});

const OPEN: ReadonlySet<IntentStatus> = new Set(["uncertain", "submitted"]);

/**
 * Settles an intent that nothing else settles, by what an operator points at and the chain proves.
 * It goes the way of every finding: no status is set that the machine does not know, and what was
 * reserved follows. Written to the audit log in the same transaction.
 */
export async function resolveIntent(
	deps: ExecutionDeps,
	audit: Audit,
	{ intentId, claim, actor, signal }: Resolution,
): Promise<Intent> {
	const [intent] = await readIntents(deps.db, [intentId]);
	if (!intent) throw executionFault.notFound();
	const submission = await openSubmission(deps.db, intentId);
	const rpc = deps.rpcOf(intent.chainId);
	if (!intent.plan || !rpc || !submission || !OPEN.has(intent.status)) {
		throw resolveFault.intentState();
	}
	const { plan } = intent;
	const finding = await findEvidence(deps, { submission, plan, rpc, signal, claim });
	const paidFor = await missingOf(deps, { intent, submission, finding, signal });
	const settled = deps.steps.run("commit.found", () =>
		deps.db.transaction(async (tx) => {
			// In the order in which everybody takes them.
			await tx.query("select 1 from wallets.submission where id = $1 for update", [submission.id]);
			const [before] = await readIntents(tx, [intentId]);
			if (!before || !OPEN.has(before.status)) throw resolveFault.intentState();
			await applyFinding(deps, tx, { submission, finding, ...paidFor });
			const [after] = await readIntents(tx, [intentId]);
			if (!after || after.status === before.status) throw resolveFault.nothingNew();
			await audit.append(tx, {
				actor: `operator:${actor}`,
				action: "trading.intent.resolved",
				subject: `intent:${intentId}`,
				detail: {
					claimed: claim.transactionHash ?? "abandon",
					found: finding.kind,
					before: before.status,
					after: after.status,
					errorCode: after.errorCode,
					transactionHash: after.transactionHash,
				},
			});
			return after;
		}),
	);
	return await settled.catch((error: unknown) => {
		// Somebody settled another intent by the same transaction in this moment.
		throw isSqlState(error, "unique_violation") ? executionFault.transactionOther() : error;
	});
}

/**
 * Checks an operator's claim on the chain. Only two things settle an intent: its own transaction,
 * under whatever hash, or another one that finally used its nonce. Everything else is refused, so
 * that what can still be sent is never given up.
 */
export async function findEvidence(
	deps: ExecutionDeps,
	asked: Asked & { claim: Claim },
): Promise<Finding> {
	const proven = await provenByOurs(deps.db, asked.submission);
	if (proven) return proven;
	const hash = asked.claim.transactionHash ?? (await hashOfNonce(deps, asked));
	const look = await seeTransaction(deps, { ...asked, hash });
	if (look === "unseen") throw resolveFault.evidenceMissing();
	if (look.kind === "seen") return look;
	const { submission } = asked;
	const { from, nonce } = look.sighting.transaction;
	const isOfNonce = nonce === nonceOf(submission) && from === submission.sender;
	if (!isOfNonce) throw resolveFault.evidenceOther();
	if (!isFinal(deps, look.sighting)) throw resolveFault.evidenceShallow();
	const code = submission.nonce === null ? "replaced" : "not_sent";
	return { kind: "never", code, detail: `its nonce went to ${hash}`, usedBy: hash };
}

/**
 * Records an operator's answer to the review of an intent, and of its batch, and returns its new
 * state. An approval is for plans within the one that was shown; it replaces no approval of the
 * owner. Written to the audit log.
 */
export async function reviewIntent(deps: ExecutionDeps, review: Review): Promise<Intent> {
	const { intentId, ending } = review;
	const approved = await write(deps, review);
	try {
		const signal = AbortSignal.any([ending, AbortSignal.timeout(CONFIRM_TIMEOUT_MS)]);
		if (approved.length > 0) await advanceBatch(deps, { intents: approved, signal });
	} catch (error) {
		const level = error instanceof Fault ? "warn" : "error";
		deps.log[level]("a reviewed intent could not be taken further now", { intentId, error });
	}
	const [intent] = await readIntents(deps.db, [intentId]);
	if (!intent) throw executionFault.notFound();
	return intent;
}

/**
 * Ends all questions about what an intent's wallet sent so far without a record, by an operator's
 * decision: a buyback or an armed plan has no owner who could answer. The intent keeps its state;
 * the next request is sent. Throws `intent_state` where no such question was open. Written to the
 * audit log.
 */
export async function settlePast(
	deps: ExecutionDeps,
	audit: Audit,
	{ intentId, actor, signal }: Omit<Resolution, "claim">,
): Promise<Intent> {
	const [intent] = await readIntents(deps.db, [intentId]);
	if (!intent) throw executionFault.notFound();
	const { plan, looksPaid = null } = intent;
	const rpc = deps.rpcOf(intent.chainId);
	if (!plan || looksPaid === null || !rpc) throw resolveFault.intentState();
	const address = plan.from;
	const { account } = await deps.steps.run("rpc.account", () =>
		readAccount(rpc, { address, plans: [], signal }),
	);
	const agreed = await deps.steps.run("rpc.nonce", () =>
		readAgreed(rpc, { address, account, signal }),
	);
	await deps.steps.run("commit.found", () =>
		deps.db.transaction(async (tx) => {
			await believePast(tx, { of: plan, ...agreed });
			await audit.append(tx, {
				actor: `operator:${actor}`,
				action: "trading.past.known",
				subject: `intent:${intentId}`,
				detail: { sender: plan.from, chainId: plan.chainId, looksPaid, until: agreed.minedNonce },
			});
		}),
	);
	return intent;
}

async function openSubmission(db: Queryable, intentId: string): Promise<Submission | null> {
	const { items, unreadable } = await readSubmissions(
		db,
		`where s.intent_id = $1 and s.purpose = 'pay' and s.final_at is null
			and s.state not in ('queued', 'sending')
		order by s.step desc limit 1`,
		[intentId],
	);
	if (unreadable.length > 0) throw quarantineFault.rowUnreadable({ detail: unreadable.join() });
	return items[0] ?? null;
}

/** Finds the transaction that used the nonce: without one, nothing is given up. */
async function hashOfNonce(deps: ExecutionDeps, asked: Asked): Promise<Hex> {
	const { submission, rpc, signal } = asked;
	const nonce = nonceOf(submission);
	if (nonce === null) throw resolveFault.nonceUnknown();
	const use = await deps.steps.run("rpc.nonce", () =>
		findByNonce(rpc, { ...nonceAsked(deps, submission), nonce, signal }),
	);
	if (use.kind === "mined") return use.transactionHash;
	throw use.kind === "used" ? resolveFault.nonceUnknown() : resolveFault.nonceFree();
}

function nonceOf({ nonce, seenNonce }: Submission): number | null {
	return nonce ?? seenNonce;
}

/** Writes the answer, and returns the intents that continue. */
async function write(deps: ExecutionDeps, { intentId, answer, actor }: Review): Promise<Intent[]> {
	const atMs = deps.clock.nowMs();
	const at = new Date(atMs);
	return await deps.steps.run("commit.owner", () =>
		deps.db.transaction(async (tx) => {
			const [found] = await readIntents(tx, [intentId]);
			if (!found) throw executionFault.notFound();
			if (found.expiresAtMs <= atMs) throw resolveFault.intentState();
			const ids = (await readBatch(tx, found)).map(({ id }) => id).sort();
			await tx.query(
				"select 1 from wallets.intent where id = any($1) order by id for no key update",
				[ids],
			);
			const until = new Date(atMs + QUESTION_LIFETIME_MS);
			for (const id of ids) {
				const moved =
					answer === "approve"
						? await confirmIntent(tx, { intentId: id, by: "operator", at, until })
						: await refuse(tx, { intentId: id, at });
				if (moved === null) throw resolveFault.intentState();
			}
			await deps.audit.append(tx, {
				actor: `operator:${actor}`,
				action: answer === "approve" ? "trading.review.approved" : "trading.review.refused",
				subject: `intent:${intentId}`,
				detail: { intents: ids, reason: found.errorCode, planHash: found.planHash },
			});
			return answer === "approve" ? await readIntents(tx, ids) : [];
		}),
	);
}

/** Null where it does not wait for a review: what is sent, or asks its owner, does not end so. */
async function refuse(tx: Tx, { intentId, at }: { intentId: string; at: Date }) {
	const [row] = await tx.query<{ status: IntentStatus }>(
		"select status from wallets.intent where id = $1",
		[intentId],
	);
	if (row?.status !== "review_required") return null;
	return await moveIntent(tx, { intentId, event: "deny", at, errorCode: "review_refused" });
}
