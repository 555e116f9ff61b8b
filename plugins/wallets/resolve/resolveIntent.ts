import type { Audit } from "#core/audit/Audit.ts";
import type { Queryable } from "#core/db/Database.ts";
import { isSqlState } from "#core/db/isSqlState.ts";
import { quarantineFault } from "#core/quarantine/faults.ts";
import type { Intent } from "#plugins/wallets/contract.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import { executionFault } from "#plugins/wallets/execution/faults.ts";
import type { IntentStatus } from "#plugins/wallets/intent/IntentStatus.ts";
import { readIntents } from "#plugins/wallets/intent/intentRow.ts";
import { applyFinding } from "#plugins/wallets/reconcile/applyFinding.ts";
import { missingOf } from "#plugins/wallets/reconcile/missingOf.ts";
import { resolveFault } from "#plugins/wallets/resolve/faults.ts";
import { type Claim, findEvidence } from "#plugins/wallets/resolve/findEvidence.ts";
import type { Submission } from "#plugins/wallets/submission/Submission.ts";
import { readSubmissions } from "#plugins/wallets/submission/submissionRow.ts";

export type Resolution = { intentId: string; claim: Claim; actor: string; signal: AbortSignal };

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
