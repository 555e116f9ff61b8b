import type { Denial, Intent, Receipt, Wallet } from "#plugins/wallets/contract.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import { executionFault } from "#plugins/wallets/execution/faults.ts";
import { readWallets } from "#plugins/wallets/profile/sql/readWallets.ts";
import type { Finding } from "#plugins/wallets/reconcile/lookUp.ts";
import type { Submission } from "#plugins/wallets/submission/Submission.ts";

/** What a receipt of success came to, as its kind says. */
export type PaidFor = {
	/** What was paid for and is not there; null: it is. */
	missing: Denial | null;
	/** What it cost of what was reserved; null: all of it. */
	spentRaw: bigint | null;
};

/** Asks the kind whether what was paid for is there, where a receipt of success is news. */
export async function missingOf(
	deps: ExecutionDeps,
	given: {
		intent: Intent;
		submission: Submission;
		finding: Finding;
		signal: AbortSignal;
		/** Where it was read already, with those of others. */
		wallet?: Wallet | undefined;
	},
): Promise<PaidFor> {
	const { intent, submission, finding, signal } = given;
	const receipt: Receipt | null = finding.kind === "seen" ? finding.sighting.receipt : null;
	if (submission.purpose !== "pay") return AS_PLANNED;
	if (!receipt?.succeeded || submission.blockHash === receipt.blockHash) return AS_PLANNED;
	const kind = deps.kindOf(intent.kind);
	// Nothing is called done that nobody looked at: once its plugin is back, it is looked at again.
	if (!kind) throw executionFault.kindUnknown({ detail: intent.kind });
	const { walletId } = intent;
	const wallet =
		given.wallet ?? (walletId && (await readWallets(deps.db, [walletId])).get(walletId));
	if (!wallet) return AS_PLANNED;
	const request = kind.request.parse(intent.request);
	const outbound = deps.kindSteps.run;
	const settled = await kind.settle({ ...intent, request }, receipt, { wallet, outbound, signal });
	if (settled === null) return AS_PLANNED;
	const { spentRaw = null } = settled;
	if (!("code" in settled)) return { missing: null, spentRaw };
	return { missing: { code: settled.code, detail: settled.detail }, spentRaw };
}

const AS_PLANNED: PaidFor = { missing: null, spentRaw: null };
