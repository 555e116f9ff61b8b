import type { Hex } from "#core/chain/Hex.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import { Fault } from "#core/fault/Fault.ts";
import { findByNonce } from "#plugins/wallets/chain/findByNonce.ts";
import {
	readReceipt,
	type SeenTransaction,
	type Sighting,
} from "#plugins/wallets/chain/readReceipt.ts";
import type { Plan } from "#plugins/wallets/contract.ts";
import type { ExecutionWorld } from "#plugins/wallets/execution/ExecutionWorld.ts";
import { PROOF_GRACE_MS, SIGNED_UNSEEN_MS } from "#plugins/wallets/reconcile/limits.ts";
import type { Submission } from "#plugins/wallets/submission/Submission.ts";

/** What is known of a submission, from whoever can know: the wallet provider, and the chain. */
export type Finding =
	/** It is on its way or mined: `sighting.receipt` says which. */
	| { kind: "seen"; transactionHash: Hex; sighting: Sighting }
	/** It has a hash, and the node does not know it (yet). */
	| { kind: "told"; transactionHash: Hex }
	/** Nobody knows it, and nothing is proved. */
	| { kind: "unknown" }
	/** It can never be mined. */
	| { kind: "never"; detail: string };

type Asked = { submission: Submission; plan: Plan; rpc: Rpc; signal: AbortSignal };

/**
 * Looks a submission up: by its hash, else by its reference at the wallet provider, else by its
 * nonce on chain. What is found is believed only where the transaction is the planned one.
 */
export async function lookUp(world: ExecutionWorld, asked: Asked): Promise<Finding> {
	const { submission, rpc, signal } = asked;
	// Who was not asked has denied nothing.
	const trace = submission.transactionHash === null ? await traced(world, asked) : "open";
	const named = submission.transactionHash ?? (typeof trace === "object" ? trace.hash : null);
	const look = named === null ? "unseen" : await seen(world, { ...asked, hash: named });
	if (typeof look === "object") return look;
	// A hash of another transaction says nothing about this one.
	const hash = look === "other" ? null : named;
	const { sender: address, nonce, fromBlock } = submission;
	if (nonce === null) return ofExternal(world, { submission, hash });
	const use = await world.steps.run("rpc.nonce", () =>
		findByNonce(rpc, { address, nonce, fromBlock: fromBlock ?? 0, signal }),
	);
	if (use.kind === "mined") {
		const mined = await seen(world, { ...asked, hash: use.transactionHash });
		if (typeof mined === "object") return mined;
		if (mined === "other") {
			return { kind: "never", detail: `its nonce went to ${use.transactionHash}` };
		}
		// A node that mined it and does not know it contradicts itself: that proves nothing.
	}
	if (hash) return { kind: "told", transactionHash: hash };
	const provedAtMs = (submission.validUntilMs ?? 0) + PROOF_GRACE_MS;
	const isProved = use.kind === "free" && trace === "none" && world.clock.nowMs() > provedAtMs;
	return isProved
		? { kind: "never", detail: "nobody knows it, and nobody may send it any more" }
		: { kind: "unknown" };
}

/** Its owner named a hash. We know no nonce of it, and the wallet provider knows nothing of it. */
function ofExternal(
	world: ExecutionWorld,
	{ submission, hash }: { submission: Submission; hash: Hex | null },
): Finding {
	if (hash === null) return { kind: "never", detail: "the hash is of another transaction" };
	const unseenMs = world.clock.nowMs() - submission.createdAtMs;
	return unseenMs > SIGNED_UNSEEN_MS
		? { kind: "never", detail: "no node has ever seen it" }
		: { kind: "told", transactionHash: hash };
}

/** What the wallet provider says became of a reference that it took on. */
const GIVEN_UP = new Set(["failed", "provider_error"]);

/**
 * `none`: the wallet provider says that it has nothing, or has given up. `open`: it has something
 * without a hash, which it may still send, or it cannot be asked: that proves nothing.
 */
async function traced(
	world: ExecutionWorld,
	{ submission, signal }: Asked,
): Promise<{ hash: Hex } | "none" | "open"> {
	// An external wallet's is not known to the wallet provider.
	if (submission.nonce === null) return "none";
	const { id, providerTransactionId } = submission;
	try {
		const trace = await world.steps.run("custody.lookup", () =>
			providerTransactionId === null
				? world.custody.byReference(id, signal)
				: world.custody.byId(providerTransactionId, signal),
		);
		if (trace?.transactionHash) return { hash: trace.transactionHash };
		return trace && !GIVEN_UP.has(trace.status) ? "open" : "none";
	} catch (error) {
		if (!(error instanceof Fault)) throw error;
		world.log.warn("the wallet provider cannot say what became of a request", {
			intentId: submission.intentId,
			error,
		});
		return "open";
	}
}

/** Whether the chain knows the hash, and as the transaction that was planned. */
async function seen(
	world: ExecutionWorld,
	{ submission, plan, rpc, signal, hash }: Asked & { hash: Hex },
): Promise<Extract<Finding, { kind: "seen" }> | "unseen" | "other"> {
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
	return "other";
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
