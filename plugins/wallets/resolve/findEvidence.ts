import type { Hex } from "#core/chain/Hex.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import { findByNonce } from "#plugins/wallets/chain/findByNonce.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import { type Expected, isFinal } from "#plugins/wallets/reconcile/judgeSighting.ts";
import type { Finding } from "#plugins/wallets/reconcile/lookUp.ts";
import { provenByOurs } from "#plugins/wallets/reconcile/provenByOurs.ts";
import { nonceAsked } from "#plugins/wallets/reconcile/receiptAsked.ts";
import { seeTransaction } from "#plugins/wallets/reconcile/seeTransaction.ts";
import { resolveFault } from "#plugins/wallets/resolve/faults.ts";
import type { Submission } from "#plugins/wallets/submission/Submission.ts";

/** What an operator points at; null: that it should be given up. */
export type Claim = { transactionHash: Hex | null };

type Asked = { submission: Submission; plan: Expected; rpc: Rpc; signal: AbortSignal };

/**
 * Asks what the chain says of an operator's claim. Only two things settle an intent: its own
 * transaction, under whatever hash, or another one that used its nonce for good. Everything else is
 * refused, so that nobody gives up what can still be sent.
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
