import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import { Fault } from "#core/fault/Fault.ts";
import { chainFault } from "#plugins/wallets/chain/faults.ts";
import { type BlockRead, readBlocks } from "#plugins/wallets/chain/readBlocks.ts";
import type { ReceiptAsked } from "#plugins/wallets/chain/readReceipt.ts";
import type { Sighting } from "#plugins/wallets/chain/sightingCodec.ts";
import type { Receipt } from "#plugins/wallets/contract.ts";

type Found = Sighting | null | Fault;

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
export async function checkReceipts(
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

/** The block that makes a receipt final, where the head that was named is as high; else null. */
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
