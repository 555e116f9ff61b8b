import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import { readNonceAt } from "#plugins/wallets/chain/readNonceAt.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import type { Submission } from "#plugins/wallets/submission/Submission.ts";

/**
 * Whether the head at which a submission was planned was made up, where the chain proves it: its
 * nonce was free then, and is used in the block of that number.
 */
export async function isPlannedAtFalseHead(
	deps: Pick<ExecutionDeps, "steps">,
	{ submission, rpc, signal }: { submission: Submission; rpc: Rpc; signal: AbortSignal },
): Promise<boolean> {
	const { sender: address, fromBlock: block, seenNonce } = submission;
	const nonce = submission.nonce ?? seenNonce;
	if (nonce === null || block === null) return false;
	const asked = { address, block, signal };
	const used = await deps.steps.run("rpc.nonce", () => readNonceAt(rpc, asked));
	return used !== null && used > nonce;
}
