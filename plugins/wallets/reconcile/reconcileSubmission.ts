import type { Denial, Intent, Receipt } from "#plugins/wallets/contract.ts";
import type { ExecutionWorld } from "#plugins/wallets/execution/ExecutionWorld.ts";
import { readIntents } from "#plugins/wallets/intent/readIntents.ts";
import { readWallet } from "#plugins/wallets/profile/sql/readWallet.ts";
import { applyFinding } from "#plugins/wallets/reconcile/applyFinding.ts";
import { LOOK_TIMEOUT_MS } from "#plugins/wallets/reconcile/limits.ts";
import { lookUp } from "#plugins/wallets/reconcile/lookUp.ts";
import type { Submission } from "#plugins/wallets/submission/Submission.ts";

/** Finds out what became of one submission, and writes it down. Sends nothing, ever. */
export async function reconcileSubmission(
	world: ExecutionWorld,
	{ submission, signal }: { submission: Submission; signal: AbortSignal },
): Promise<void> {
	const [intent] = await readIntents(world.db, [submission.intentId]);
	const rpc = intent && world.rpcOf(intent.chainId);
	if (!intent?.plan || !rpc) return;
	const within = AbortSignal.any([signal, AbortSignal.timeout(LOOK_TIMEOUT_MS)]);
	const { plan } = intent;
	const finding = await lookUp(world, { submission, plan, rpc, signal: within });
	const receipt = finding.kind === "seen" ? finding.sighting.receipt : null;
	const isNews = receipt && submission.blockHash !== receipt.blockHash;
	const missing = isNews ? await missingOf(world, { intent, receipt, signal: within }) : null;
	await world.steps.run("commit.found", () =>
		world.db.transaction((tx) => applyFinding(world, tx, { submission, finding, missing })),
	);
}

/** Asks the kind whether what was paid for is there. */
async function missingOf(
	world: ExecutionWorld,
	given: { intent: Intent; receipt: Receipt; signal: AbortSignal },
): Promise<Denial | null> {
	const { intent, receipt, signal } = given;
	if (!receipt.succeeded) return null;
	const kind = world.kindOf(intent.kind);
	const wallet = await readWallet(world.db, intent.walletId);
	if (!kind || !wallet) return null;
	const request = kind.request.parse(intent.request);
	const outbound = world.kindSteps.run;
	return kind.settle({ ...intent, request }, receipt, { wallet, outbound, signal });
}
