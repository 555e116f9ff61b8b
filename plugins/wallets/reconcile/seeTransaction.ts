// Sees whether a chain knows a submission's transaction, and as what.

import type { Address, Hex } from "#core/chain/Hex.ts";
import { chainFault, readNonceAt } from "#core/chain/reads/readBlocks.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import { Fault } from "#core/fault.ts";
import { type ReceiptAsked, readReceipt } from "#plugins/wallets/chain/readReceipts.ts";
import type { Sighting } from "#plugins/wallets/chain/readSigned.ts";
import type { ExecutionDeps } from "#plugins/wallets/execution/ExecutionDeps.ts";
import { UNSEEN_DROPPED_MS } from "#plugins/wallets/reconcile/looks.ts";
import {
	type Expected,
	isFinal,
	isSameReceipt,
	judgeSighting,
	type Seen,
} from "#plugins/wallets/reconcile/settleMined.ts";
import type { Submission } from "#plugins/wallets/submission/submission.ts";

type Asked = {
	submission: Submission;
	plan: Expected;
	rpc: Rpc;
	signal: AbortSignal;
	hash: Hex;
};

/**
 * Returns whether the chain knows the hash, and as the transaction that was planned. What is deep
 * enough to be final is looked up a second time, at another endpoint where there is one: from then
 * on nobody looks again. Throws where the two do not agree.
 *
 * A revert is agreed on where another endpoint says the same, or the same one in a later block, or
 * once it is final: until then one node's word releases no spend.
 *
 * A receipt from before the head at which it was planned is believed only where the chain proves
 * that this head was false.
 */
export async function seeTransaction(deps: ExecutionDeps, asked: Asked): Promise<Seen | "unseen"> {
	try {
		return await see(deps, asked);
	} catch (error) {
		const isContradiction = error instanceof Fault && error.code === "chain_contradicts";
		if (!isContradiction || !(await isPlannedAtFalseHead(deps, asked))) throw error;
		return await see(deps, { ...asked, submission: { ...asked.submission, fromBlock: null } });
	}
}

/**
 * Returns how a submission's hash is asked for, with what its receipt is held against: it cannot be
 * mined far below the head at which it was planned.
 *
 * Where the chain has still not come to that head after a while, the head was false: then the rest
 * of what is checked has to do.
 */
export function receiptAsked(
	{ clock, settings }: Pick<ExecutionDeps, "clock" | "settings">,
	submission: Submission,
	hash: Hex,
): ReceiptAsked {
	const { blockNumber, blockHash, fromBlock } = submission;
	return {
		hash,
		minBlock: blockNumber ?? 0,
		knownBlock: blockHash,
		finalDepth: settings.finalDepthBlocks,
		oldestBlock(headBlock) {
			if (fromBlock === null) return 0;
			const isFalse = fromBlock > headBlock && isPlannedLongAgo(submission, clock.nowMs());
			return isFalse ? 0 : Math.min(fromBlock, headBlock) - settings.finalDepthBlocks;
		},
	};
}

/**
 * Returns whose nonce is looked for, and in which blocks: after the head at which it was planned.
 */
export function nonceAsked(
	{ clock }: Pick<ExecutionDeps, "clock">,
	submission: Submission,
): { address: Address; fromBlock: number; isFromBlockOld: boolean } {
	const { sender: address, fromBlock } = submission;
	const isFromBlockOld = isPlannedLongAgo(submission, clock.nowMs());
	return { address, fromBlock: fromBlock ?? 0, isFromBlockOld };
}

/** Says whether every honest node has come past the head at which a submission was planned. */
export function isPlannedLongAgo(
	{ sentAtMs, createdAtMs }: Pick<Submission, "sentAtMs" | "createdAtMs">,
	nowMs: number,
): boolean {
	return nowMs - (sentAtMs ?? createdAtMs) > UNSEEN_DROPPED_MS;
}

async function see(deps: ExecutionDeps, asked: Asked): Promise<Seen | "unseen"> {
	const heard = new Set<string>();
	let sighting = await read(deps, asked, { heard, second: false });
	if (!sighting) return "unseen";
	let isAgreed = false;
	if (isFinal(deps, sighting) || sighting.receipt?.succeeded === false) {
		const again = await read(deps, asked, { heard, second: true });
		if (!again || !isSameReceipt(sighting, again)) {
			throw chainFault.chainContradicts({ detail: `two answers about ${asked.hash}` });
		}
		sighting = { ...sighting, headBlock: Math.min(sighting.headBlock, again.headBlock) };
		isAgreed = heard.size > 1 || isFinal(deps, sighting) || wasSaidBefore(asked, sighting);
	}
	if (!isAgreed) refuseChangedEnd(asked, sighting);
	const seen = judgeSighting(deps, { ...asked, sighting });
	// Bytes with that hash are a proof of what it is; a node's word alone is not.
	if (seen.kind === "other" && sighting.signed === null) {
		const again = await read(deps, asked, { heard, second: true });
		if (!again || judgeSighting(deps, { ...asked, sighting: again }).kind !== "other") {
			throw chainFault.chainContradicts({ detail: `two transactions for ${asked.hash}` });
		}
	}
	return seen.kind === "seen" ? { ...seen, isAgreed } : seen;
}

function read(
	deps: ExecutionDeps,
	{ submission, rpc, signal, hash }: Asked,
	reading: { heard: Set<string>; second: boolean },
): Promise<Sighting | null> {
	const asked = { ...receiptAsked(deps, submission, hash), signal, ...reading };
	return deps.steps.run("rpc.receipt", () => readReceipt(rpc, asked));
}

/** Returns whether an earlier lookup found the same revert, and blocks were added on top since. */
function wasSaidBefore({ submission }: Asked, { receipt, headBlock }: Sighting): boolean {
	const { state, blockHash } = submission;
	if (receipt === null || state !== "reverted" || blockHash !== receipt.blockHash) return false;
	return headBlock > receipt.blockNumber;
}

/** Refuses what one source says: what succeeded in a block cannot have been reverted in it. */
function refuseChangedEnd({ submission, hash }: Asked, { receipt }: Sighting): void {
	const { state, blockHash } = submission;
	if (receipt?.succeeded !== false || state !== "mined" || blockHash !== receipt.blockHash) return;
	throw chainFault.chainContradicts({ detail: `two ends of ${hash} in one block` });
}

/**
 * Returns whether the head at which a submission was planned was false, where the chain proves it:
 * its nonce was free then, and is used in the block of that number.
 */
async function isPlannedAtFalseHead(
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
