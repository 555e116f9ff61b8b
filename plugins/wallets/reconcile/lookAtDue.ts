import type { Hex } from "#core/chain/Hex.ts";
import { sendSigned } from "#core/chain/reads/sendSigned.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import { Fault } from "#core/fault/Fault.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import { readIntents } from "#plugins/wallets/intent/intentRow.ts";
import { applyFinding } from "#plugins/wallets/reconcile/applyFinding.ts";
import { eachAtOnce } from "#plugins/wallets/reconcile/eachAtOnce.ts";
import { expectedOf } from "#plugins/wallets/reconcile/judgeSighting.ts";
import {
	LOOK_TIMEOUT_MS,
	PROBE_AFTER_MS,
	RECONCILES_AT_ONCE,
} from "#plugins/wallets/reconcile/limits.ts";
import { type LooksAsked, lookAtMany } from "#plugins/wallets/reconcile/lookAtMany.ts";
import { lookUp } from "#plugins/wallets/reconcile/lookUp.ts";
import { missingOf } from "#plugins/wallets/reconcile/missingOf.ts";
import { postponeLooks, wakeLooks } from "#plugins/wallets/reconcile/postponeLooks.ts";
import { readRebroadcast } from "#plugins/wallets/reconcile/readRebroadcast.ts";
import type { Submission } from "#plugins/wallets/submission/Submission.ts";

/**
 * Looks at submissions, many at a time, and at each by itself that needs more. What this process is
 * looking at already is left to that look: two would ask the same, and wait for each other's rows.
 *
 * Where a chain cannot be read, a few of its submissions come again soon, whatever their age: once
 * one of them is answered, all that was put off meanwhile is looked at.
 */
export async function lookAtDue(deps: ExecutionDeps, asked: LooksAsked): Promise<void> {
	const { underWay } = deps.looks;
	// Whatever is put off from now on, and fails, is looked at again with what failed first.
	const atMs = deps.clock.nowMs();
	const due = asked.due.filter(({ id }) => !underWay.has(id));
	for (const { id } of due) underWay.add(id);
	try {
		const { alone, answered } = await lookAtMany(deps, { ...asked, due });
		for (const [chainId, ones] of Map.groupBy(answered, (one) => one.chainId)) {
			await resume(deps, { chainId, answered: ones });
		}
		await lookAtEach(deps, { submissions: alone, atMs, signal: asked.signal });
	} finally {
		for (const { id } of due) underWay.delete(id);
	}
}

async function lookAtEach(
	deps: ExecutionDeps,
	given: { submissions: readonly Submission[]; atMs: number; signal: AbortSignal },
): Promise<void> {
	const { submissions, atMs, signal } = given;
	const probes = new Map<number, number>();
	await eachAtOnce(deps, { items: submissions, signal }, async (submission) => {
		const { chainId, id } = submission;
		await postponeLooks(deps, [submission]);
		try {
			await reconcileSubmission(deps, { submission, signal });
		} catch (error) {
			const isOfChain = deps.looks.troubles.note(error, { chainId, id, atMs });
			const before = probes.get(chainId) ?? 0;
			if (isOfChain && before < RECONCILES_AT_ONCE) {
				probes.set(chainId, before + 1);
				await postponeLooks(deps, [submission], PROBE_AFTER_MS);
			}
			throw error;
		}
		await resume(deps, { chainId, answered: [submission] });
	});
}

async function resume(
	deps: ExecutionDeps,
	{ chainId, answered }: { chainId: number; answered: readonly Submission[] },
): Promise<void> {
	const ids = answered.map(({ id }) => id);
	const sinceMs = deps.looks.troubles.endedBy(chainId, ids);
	if (sinceMs !== null) await wakeLooks(deps, { chainId, sinceMs });
}

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
	const paidFor = await missingOf(deps, { intent, submission, finding, signal: within });
	const signed = await deps.steps.run("commit.found", () =>
		deps.db.transaction(async (tx) => {
			await applyFinding(deps, tx, { submission, finding, ...paidFor });
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
