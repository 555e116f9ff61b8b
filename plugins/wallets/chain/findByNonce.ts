import { z } from "zod";
import { chainNumbers } from "#core/chain/chainNumbers.ts";
import type { Address, Hex } from "#core/chain/Hex.ts";
import { hexQuantity } from "#core/chain/hexQuantity.ts";
import { chainFault } from "#core/chain/reads/faults.ts";
import { readAnswer } from "#core/chain/reads/readAnswer.ts";
import { readableBy } from "#core/chain/reads/readableBy.ts";
import { readNonceAt } from "#core/chain/reads/readNonceAt.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";

/** What became of an account's nonce. */
export type NonceUse =
	| { kind: "mined"; transactionHash: Hex }
	/** Something mined used it, and the node cannot say what: its state does not go back so far. */
	| { kind: "used" }
	/** Something with that nonce waits at the node; its hash is not to be had. */
	| { kind: "pending" }
	| { kind: "free" };

type Asked = {
	address: Address;
	nonce: number;
	/** A block in which it was free. */
	fromBlock: number;
	/** A chain that has still not come so far shows then that the block was never there. */
	isFromBlockOld?: boolean;
	signal: AbortSignal;
};

const isHash = (text: string): text is Hex => /^0x[0-9a-f]{64}$/.test(text);
const block = z.object({
	transactions: z.array(
		z.object({
			hash: z.string().toLowerCase().refine(isHash),
			from: z.string().toLowerCase(),
			nonce: chainNumbers.nonce,
		}),
	),
});
/** A chain has fewer than 2^48 blocks. */
const HALVINGS_MAX = 48;
/** Blocks that are read whole where counts are not to be had: what was sent is mined soon after. */
const SCAN_BLOCKS_MAX = 256;
const SCAN_AT_ONCE = 16;

/**
 * Finds the transaction that used a nonce of an account, by halving the chain: an account's count
 * at a block says whether it was used by then. Some twenty small calls and one block, for the rare
 * case that nobody else can name the hash.
 *
 * A node that keeps no state so old refuses some of the counts. Blocks it has all the same: those
 * after `fromBlock` are read, as many as one look may. Throws where the node has not come as far as
 * the block where the nonce was free.
 */
export async function findByNonce(rpc: Rpc, asked: Asked): Promise<NonceUse> {
	const { nonce, signal, isFromBlockOld = false } = asked;
	const head = await rpc.call(
		{ method: "eth_blockNumber", params: [] },
		{ signal, isReadable: readableBy([chainNumbers.blockNumber]) },
	);
	let high = readAnswer(chainNumbers.blockNumber, head);
	// Where it was free, it still is for a node that has not come so far: that proves nothing.
	if (high < asked.fromBlock && !isFromBlockOld) throw chainFault.chainBehind();
	const fromBlock = high < asked.fromBlock ? 0 : asked.fromBlock;
	if ((await countAt(rpc, asked, hexQuantity(high))) <= nonce) {
		const waiting = await countAt(rpc, asked, "pending");
		return waiting > nonce ? { kind: "pending" } : { kind: "free" };
	}
	// The nonce was free when it was taken, so it was used after `fromBlock`, unless that is false.
	const usedThen = (await readNonceAt(rpc, { ...asked, block: fromBlock })) ?? 0;
	let freeAt = usedThen > nonce ? 0 : fromBlock;
	let low = freeAt;
	for (let turn = 0; turn < HALVINGS_MAX && high - low > 1; turn++) {
		const middle = low + Math.floor((high - low) / 2);
		const count = await readNonceAt(rpc, { ...asked, block: middle });
		if (count !== null && count > nonce) {
			high = middle;
			continue;
		}
		low = middle;
		if (count !== null) freeAt = middle;
	}
	const last = Math.min(high, freeAt + SCAN_BLOCKS_MAX);
	for (let first = Math.min(freeAt + 1, high); first <= last; first += SCAN_AT_ONCE) {
		const until = Math.min(first + SCAN_AT_ONCE - 1, last);
		const transactionHash = await usedIn(rpc, asked, { first, until });
		if (transactionHash) return { kind: "mined", transactionHash };
	}
	return { kind: "used" };
}

async function countAt(rpc: Rpc, { address, signal }: Asked, at: string): Promise<number> {
	const count = await rpc.call(
		{ method: "eth_getTransactionCount", params: [address, at] },
		{ signal, isReadable: readableBy([chainNumbers.nonce]) },
	);
	return readAnswer(chainNumbers.nonce, count);
}

async function usedIn(
	rpc: Rpc,
	{ address, nonce, signal }: Asked,
	{ first, until }: { first: number; until: number },
): Promise<Hex | null> {
	const calls = Array.from({ length: until - first + 1 }, (_, index) => {
		return { method: "eth_getBlockByNumber", params: [hexQuantity(first + index), true] };
	});
	// A node that has not come so far has no such block.
	const isReadable = (result: unknown) => result === null || block.safeParse(result).success;
	for (const found of await rpc.batch(calls, { signal, isReadable })) {
		const used = readAnswer(block, found).transactions.find((one) => {
			return one.from === address && one.nonce === nonce;
		});
		if (used) return used.hash;
	}
	return null;
}
