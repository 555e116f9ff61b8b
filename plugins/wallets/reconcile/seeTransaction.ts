import type { Hex } from "#core/chain/Hex.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import { readReceipt } from "#plugins/wallets/chain/readReceipt.ts";
import type { Plan } from "#plugins/wallets/contract.ts";
import type { ExecutionWorld } from "#plugins/wallets/execution/ExecutionWorld.ts";
import { judgeSighting, type Seen } from "#plugins/wallets/reconcile/judgeSighting.ts";
import type { Submission } from "#plugins/wallets/submission/Submission.ts";

/** Whether the chain knows the hash, and as the transaction that was planned. */
export async function seeTransaction(
	world: ExecutionWorld,
	asked: { submission: Submission; plan: Plan; rpc: Rpc; signal: AbortSignal; hash: Hex },
): Promise<Seen | "unseen"> {
	const { submission, rpc, signal, hash } = asked;
	const minBlock = submission.blockNumber ?? 0;
	const sighting = await world.steps.run("rpc.receipt", () =>
		readReceipt(rpc, { hash, minBlock, signal }),
	);
	return sighting ? judgeSighting(world, { ...asked, sighting }) : "unseen";
}
