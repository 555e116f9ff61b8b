import type { Hex } from "#core/chain/Hex.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import { Fault } from "#core/fault/Fault.ts";
import { sendSigned } from "#plugins/wallets/chain/sendSigned.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import { readIntents } from "#plugins/wallets/intent/readIntents.ts";
import { applyFinding } from "#plugins/wallets/reconcile/applyFinding.ts";
import { expectedOf } from "#plugins/wallets/reconcile/expectedOf.ts";
import { LOOK_TIMEOUT_MS } from "#plugins/wallets/reconcile/limits.ts";
import { lookUp } from "#plugins/wallets/reconcile/lookUp.ts";
import { missingOf } from "#plugins/wallets/reconcile/missingOf.ts";
import { readRebroadcast } from "#plugins/wallets/reconcile/readRebroadcast.ts";
import type { Submission } from "#plugins/wallets/submission/Submission.ts";

/**
 * Finds out what became of one submission, and writes it down. Hands nothing over, ever: what was
 * dropped is broadcast again byte for byte, where its bytes are known.
 */
export async function reconcileSubmission(
	deps: ExecutionDeps,
	{ submission, signal }: { submission: Submission; signal: AbortSignal },
): Promise<void> {
	const [intent] = await readIntents(deps.db, [submission.intentId]);
	const rpc = intent && deps.rpcOf(intent.chainId);
	if (!intent?.plan || !rpc) return;
	const within = AbortSignal.any([signal, AbortSignal.timeout(LOOK_TIMEOUT_MS)]);
	const plan = expectedOf(submission, intent.plan);
	const finding = await lookUp(deps, { submission, plan, rpc, signal: within });
	const missing = await missingOf(deps, { intent, submission, finding, signal: within });
	const signed = await deps.steps.run("commit.found", () =>
		deps.db.transaction(async (tx) => {
			await applyFinding(deps, tx, { submission, finding, missing });
			if (finding.kind !== "dropped") return null;
			return await readRebroadcast(deps, tx, { submission, intent });
		}),
	);
	if (signed) await rebroadcast(deps, { intentId: intent.id, rpc, signed, signal: within });
}

async function rebroadcast(
	deps: ExecutionDeps,
	given: { intentId: string; rpc: Rpc; signed: Hex; signal: AbortSignal },
): Promise<void> {
	const { intentId, rpc, signed, signal } = given;
	try {
		await deps.steps.run("rpc.rebroadcast", () => sendSigned(rpc, { signed, signal }));
		deps.log.info("a dropped transaction was broadcast again as it is", { intentId });
	} catch (error) {
		if (!(error instanceof Fault)) throw error;
		// The next look says whether some node has it.
		deps.log.warn("a node does not take a dropped transaction again", { intentId, error });
	}
}
