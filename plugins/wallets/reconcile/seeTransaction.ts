import type { Hex } from "#core/chain/Hex.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import { Fault } from "#core/fault/Fault.ts";
import { chainFault } from "#plugins/wallets/chain/faults.ts";
import { readReceipt } from "#plugins/wallets/chain/readReceipt.ts";
import type { Sighting } from "#plugins/wallets/chain/sightingCodec.ts";
import type { ExecutionWorld } from "#plugins/wallets/execution/ExecutionWorld.ts";
import { isFinal } from "#plugins/wallets/reconcile/isFinal.ts";
import { isPlannedAtFalseHead } from "#plugins/wallets/reconcile/isPlannedAtFalseHead.ts";
import { isSameReceipt } from "#plugins/wallets/reconcile/isSameReceipt.ts";
import {
	type Expected,
	judgeSighting,
	type Seen,
} from "#plugins/wallets/reconcile/judgeSighting.ts";
import { receiptAsked } from "#plugins/wallets/reconcile/receiptAsked.ts";
import type { Submission } from "#plugins/wallets/submission/Submission.ts";

type Asked = {
	submission: Submission;
	plan: Expected;
	rpc: Rpc;
	signal: AbortSignal;
	hash: Hex;
};

/**
 * Whether the chain knows the hash, and as the transaction that was planned. What is deep enough to
 * be final is looked up a second time, elsewhere where that is possible: from then on nobody looks
 * again. Throws where the two do not agree.
 *
 * A receipt from before the head at which it was planned is believed only where the chain proves
 * that this head was false.
 */
export async function seeTransaction(
	world: ExecutionWorld,
	asked: Asked,
): Promise<Seen | "unseen"> {
	try {
		return await see(world, asked);
	} catch (error) {
		const isContradiction = error instanceof Fault && error.code === "chain_contradicts";
		if (!isContradiction || !(await isPlannedAtFalseHead(world, asked))) throw error;
		return await see(world, { ...asked, submission: { ...asked.submission, fromBlock: null } });
	}
}

async function see(world: ExecutionWorld, asked: Asked): Promise<Seen | "unseen"> {
	const heard = new Set<string>();
	const sighting = await read(world, asked, { heard, second: false });
	if (!sighting) return "unseen";
	if (isFinal(world, sighting)) {
		const again = await read(world, asked, { heard, second: true });
		if (!isSameReceipt(sighting, again)) {
			throw chainFault.chainContradicts({ detail: `two answers about ${asked.hash}` });
		}
	}
	const seen = judgeSighting(world, { ...asked, sighting });
	// Bytes with that hash are a proof of what it is; a node's word alone is not.
	if (seen.kind === "other" && sighting.signed === null) {
		const again = await read(world, asked, { heard, second: true });
		if (!again || judgeSighting(world, { ...asked, sighting: again }).kind !== "other") {
			throw chainFault.chainContradicts({ detail: `two transactions for ${asked.hash}` });
		}
	}
	return seen;
}

function read(
	world: ExecutionWorld,
	{ submission, rpc, signal, hash }: Asked,
	reading: { heard: Set<string>; second: boolean },
): Promise<Sighting | null> {
	const asked = { ...receiptAsked(world, submission, hash), signal, ...reading };
	return world.steps.run("rpc.receipt", () => readReceipt(rpc, asked));
}
