import { z } from "zod";
import type { Address, Hex } from "#core/chain/Hex.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import { chainFault } from "#plugins/wallets/chain/faults.ts";
import { quantity } from "#plugins/wallets/chain/quantity.ts";
import { readAnswer } from "#plugins/wallets/chain/readAnswer.ts";

/** What became of an account's nonce. */
export type NonceUse =
	| { kind: "mined"; transactionHash: Hex }
	/** Something with that nonce waits at the node; its hash is not to be had. */
	| { kind: "pending" }
	| { kind: "free" };

const isHash = (text: string): text is Hex => /^0x[0-9a-f]{64}$/.test(text);
const block = z.object({
	transactions: z.array(
		z.object({
			hash: z.string().toLowerCase().refine(isHash),
			from: z.string().toLowerCase(),
			nonce: quantity,
		}),
	),
});
/** A chain has fewer than 2^48 blocks. */
const HALVINGS_MAX = 48;

/**
 * Finds the transaction that used a nonce of an account, by halving the chain: an account's count
 * at a block says whether it was used by then. Some twenty small calls and one block, for the rare
 * case that nobody else can name the hash. Throws where the node does not keep that much state, or
 * has not come as far as the block where the nonce was taken.
 */
export async function findByNonce(
	rpc: Rpc,
	asked: { address: Address; nonce: number; fromBlock: number; signal: AbortSignal },
): Promise<NonceUse> {
	const { address, nonce, signal } = asked;
	const usedBy = async (at: string) => {
		const count = await rpc.call(
			{ method: "eth_getTransactionCount", params: [address, at] },
			{ signal },
		);
		return Number(readAnswer(quantity, count)) > nonce;
	};
	const head = await rpc.call({ method: "eth_blockNumber", params: [] }, { signal });
	let high = Number(readAnswer(quantity, head));
	// Where it was free, it still is for a node that has not come so far: that proves nothing.
	if (high < asked.fromBlock) throw chainFault.chainBehind();
	if (!(await usedBy(toHex(high)))) {
		return (await usedBy("pending")) ? { kind: "pending" } : { kind: "free" };
	}
	// The nonce was free when it was taken, so it was used after `fromBlock`.
	let low = asked.fromBlock;
	for (let turn = 0; turn < HALVINGS_MAX && high - low > 1; turn++) {
		const middle = low + Math.floor((high - low) / 2);
		if (await usedBy(toHex(middle))) high = middle;
		else low = middle;
	}
	const found = await rpc.call(
		{ method: "eth_getBlockByNumber", params: [toHex(high), true] },
		{ signal },
	);
	const used = readAnswer(block, found).transactions.find((one) => {
		return one.from === address && Number(one.nonce) === nonce;
	});
	return used ? { kind: "mined", transactionHash: used.hash } : { kind: "pending" };
}

function toHex(block: number): string {
	return `0x${block.toString(16)}`;
}
