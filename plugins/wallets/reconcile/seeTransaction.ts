import type { Hex } from "#core/chain/Hex.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import {
	readReceipt,
	type SeenTransaction,
	type Sighting,
} from "#plugins/wallets/chain/readReceipt.ts";
import type { Plan } from "#plugins/wallets/contract.ts";
import type { ExecutionWorld } from "#plugins/wallets/execution/ExecutionWorld.ts";
import type { Submission } from "#plugins/wallets/submission/Submission.ts";

/** `other`: the chain knows the hash as another transaction. */
export type Seen =
	| { kind: "seen"; transactionHash: Hex; sighting: Sighting }
	| { kind: "other"; sighting: Sighting };

/** Whether the chain knows the hash, and as the transaction that was planned. */
export async function seeTransaction(
	world: ExecutionWorld,
	asked: { submission: Submission; plan: Plan; rpc: Rpc; signal: AbortSignal; hash: Hex },
): Promise<Seen | "unseen"> {
	const { submission, plan, rpc, signal, hash } = asked;
	const minBlock = submission.blockNumber ?? 0;
	const sighting = await world.steps.run("rpc.receipt", () =>
		readReceipt(rpc, { hash, minBlock, signal }),
	);
	if (!sighting) return "unseen";
	if (isPlanned(sighting.transaction, { plan, nonce: submission.nonce })) {
		return { kind: "seen", transactionHash: hash, sighting };
	}
	world.log.warn("a hash is not of the transaction that was planned", {
		intentId: submission.intentId,
		transactionHash: hash,
	});
	return { kind: "other", sighting };
}

function isPlanned(
	transaction: SeenTransaction,
	{ plan, nonce }: { plan: Plan; nonce: number | null },
): boolean {
	return (
		transaction.from === plan.from &&
		transaction.to === plan.to &&
		transaction.valueRaw === plan.valueRaw &&
		transaction.data === plan.data &&
		(nonce === null || transaction.nonce === nonce)
	);
}
