// Reads what a chain knows of transactions by their hashes, and checks the receipts.

import { z } from "zod";
import type { Hex } from "#core/chain/Hex.ts";
import { type BlockRead, chainFault, readBlocks } from "#core/chain/reads/readBlocks.ts";
import type { Rpc, RpcOptions, RpcOutcome } from "#core/chain/rpc/Rpc.ts";
import { Fault } from "#core/fault.ts";
import { type Sighting, sightingCodec } from "#plugins/wallets/chain/readSigned.ts";
import type { Receipt } from "#plugins/wallets/model.ts";

export type ReceiptAsked = {
	hash: Hex;
	/** The block where it was seen before, 0 where it was not. */
	minBlock: number;
	/** The hash of that block: a receipt in it was checked when it was first seen there. */
	knownBlock?: Hex | null;
	/** Returns the oldest block, by the chain's head, in which a receipt is believed. */
	oldestBlock?(headBlock: number): number;
	/**
	 * Blocks on top that make a receipt final: a second read then asks for the node's highest block.
	 */
	finalDepth?: number;
};

type ReceiptReading = {
	signal: AbortSignal;
	/** As `readReceipts` takes them. */
	second?: boolean;
	heard?: Set<string>;
};

type Found = Sighting | null | Fault;

export type ReceiptsAsked = {
	asked: readonly ReceiptAsked[];
	signal: AbortSignal;
	/** Asks another endpoint than the last, or as many as the deployment wants to agree. */
	second?: boolean;
	/** Endpoints that answered so far: filled here, and asked last for a second opinion. */
	heard?: Set<string>;
};

/**
 * Reads what a chain knows of many hashes in one request, and in a second one the blocks of new
 * receipts. A missing or wrong answer about one hash is the result for that one alone.
 *
 * Many take a while, and blocks come meanwhile: depth is counted from the head before the request,
 * and whether a node is behind by the head after it. Otherwise a block that left the chain in
 * between would count as deep enough.
 */
export async function readReceipts(
	rpc: Rpc,
	{ asked, signal, second = false, heard }: ReceiptsAsked,
): Promise<(Sighting | null | Fault)[]> {
	const { head } = sightingCodec;
	const calls = [head, ...asked.flatMap(({ hash }) => sightingCodec.callsFor(hash)), head];
	const minBlock = Math.max(0, ...asked.map((one) => one.minBlock));
	const opinion: RpcOptions = second ? { second, quorum: { digest: digestOf } } : {};
	const outcomes = await rpc.settle(calls, {
		...{ signal, minBlock, inOrder: true, heard, ...opinion },
		isReadable: (result, place) => sightingCodec.isReadable(result, calls[place] ?? head),
	});
	const [before, ...answers] = outcomes;
	const headBlock = headOf(before);
	const newestBlock = headOf(answers.pop());
	const found = asked.map((one, place) => {
		const [seen, mined] = answers.slice(2 * place, 2 * place + 2);
		if (seen?.kind !== "result") return seen?.fault ?? chainFault.chainUnreadable();
		if (mined?.kind !== "result") return mined?.fault ?? chainFault.chainUnreadable();
		try {
			const told = { seen: seen.result, mined: mined.result, headBlock: newestBlock };
			const sighting = sightingCodec.read(told, one);
			return sighting && { ...sighting, headBlock: Math.min(headBlock, newestBlock) };
		} catch (error) {
			if (error instanceof Fault) return error;
			throw error;
		}
	});
	return checkReceipts(rpc, { asked, found, newestBlock, signal, second });
}

function headOf(outcome: RpcOutcome | undefined): number {
	if (outcome?.kind !== "result") throw outcome?.fault ?? chainFault.chainUnreadable();
	return sightingCodec.readHead(outcome.result);
}

const placed = z.object({
	hash: z.string().optional(),
	transactionHash: z.string().optional(),
	blockHash: z.string().nullish(),
	status: z.string().optional(),
});

/**
 * Returns the part of a receipt that honest nodes agree on: which transaction, in which block, how
 * it ended. Heads differ.
 */
function digestOf(result: unknown): string {
	if (typeof result === "string") return "head";
	const { data } = placed.safeParse(result);
	if (data === undefined) return JSON.stringify(result ?? null);
	const { hash, transactionHash, blockHash, status } = data;
	return [hash ?? transactionHash, blockHash, status].join(" ").toLowerCase();
}

/**
 * Holds receipts against the chain; one that does not stand is the node's fault for that hash.
 *
 * A receipt is believed where its block is not older than the transaction can be, is the block that
 * the chain has at that height, and lists the transaction. One in a block that was checked before
 * is the same receipt: nothing is asked again for it.
 *
 * A head is a number, and a node that names a false one makes every receipt look deep. So a second
 * look counts blocks on top only where the node has the one that makes the receipt final.
 */
async function checkReceipts(
	rpc: Rpc,
	given: {
		asked: readonly ReceiptAsked[];
		found: readonly Found[];
		newestBlock: number;
		signal: AbortSignal;
		second: boolean;
	},
): Promise<Found[]> {
	const { asked, found, newestBlock, signal, second } = given;
	const isNews = found.map((one, place) => {
		if (!one || one instanceof Fault || !one.receipt) return false;
		return second || one.receipt.blockHash !== asked[place]?.knownBlock;
	});
	const numbers = new Set<number>();
	for (const [place, one] of found.entries()) {
		if (isNews[place] && one && !(one instanceof Fault) && one.receipt) {
			if (one.receipt.blockNumber <= newestBlock) numbers.add(one.receipt.blockNumber);
			const top = second ? finalBlock(one, asked[place]) : null;
			if (top !== null) numbers.add(top);
		}
	}
	const blocks = await readBlocks(rpc, { numbers: [...numbers], signal });
	return found.map((one, place) => {
		if (!isNews[place] || !one || one instanceof Fault || !one.receipt) return one;
		const oldest = asked[place]?.oldestBlock?.(newestBlock) ?? 0;
		const { receipt } = one;
		if (receipt.blockNumber > newestBlock) return chainFault.chainBehind();
		const held = blocks.get(receipt.blockNumber);
		if (held instanceof Fault) return held;
		const flaw = flawOf(receipt, { oldest, held });
		if (flaw === null) {
			const top = second ? finalBlock(one, asked[place]) : null;
			const isShown = top === null || !(blocks.get(top) instanceof Fault);
			return isShown ? one : { ...one, headBlock: receipt.blockNumber };
		}
		rpc.distrust("false_receipt");
		return chainFault.chainContradicts({ detail: flaw, meta: { hash: receipt.transactionHash } });
	});
}

/**
 * Returns the block that makes a receipt final, where the head that was named is as high; else
 * null.
 */
function finalBlock(
	{ receipt, headBlock }: Sighting,
	asked: ReceiptAsked | undefined,
): number | null {
	if (!receipt || asked?.finalDepth === undefined) return null;
	const top = receipt.blockNumber + asked.finalDepth;
	return headBlock >= top ? top : null;
}

function flawOf(
	{ blockNumber, blockHash, transactionHash }: Receipt,
	{ oldest, held }: { oldest: number; held: BlockRead | undefined },
): string | null {
	if (blockNumber < oldest) return `a receipt in block ${blockNumber}, before it was planned`;
	if (held?.hash !== blockHash) return `a receipt in a block that is not block ${blockNumber}`;
	return held.transactions.includes(transactionHash)
		? null
		: `block ${blockNumber} does not have the transaction of its receipt`;
}

/** Returns what a chain knows of a hash; null where the node knows nothing of it. */
export async function readReceipt(
	rpc: Rpc,
	{ signal, second = false, heard, ...asked }: ReceiptAsked & ReceiptReading,
): Promise<Sighting | null> {
	const [sighting] = await readReceipts(rpc, {
		...{ asked: [asked], signal, second },
		...(heard && { heard }),
	});
	if (sighting instanceof Fault) throw sighting;
	return sighting ?? null;
}
