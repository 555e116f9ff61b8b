import { z } from "zod";
import type { Rpc, RpcOptions, RpcOutcome } from "#core/chain/rpc/Rpc.ts";
import { Fault } from "#core/fault/Fault.ts";
import { checkReceipts } from "#plugins/wallets/chain/checkReceipts.ts";
import { chainFault } from "#plugins/wallets/chain/faults.ts";
import type { ReceiptAsked } from "#plugins/wallets/chain/readReceipt.ts";
import { type Sighting, sightingCodec } from "#plugins/wallets/chain/sightingCodec.ts";

export type ReceiptsAsked = {
	asked: readonly ReceiptAsked[];
	signal: AbortSignal;
	/** Asks another endpoint than the last, or as many as the deployment wants to agree. */
	second?: boolean;
	/** Who answered so far: filled, and asked last for a second opinion. */
	heard?: Set<string>;
};

/**
 * Reads what a chain knows of many hashes in one request, and in a second one the blocks of new
 * receipts. Each stands for itself: what a node cannot say of one of them, or says wrong, is the
 * answer for that one alone.
 *
 * Many take a while, and blocks come meanwhile: how deep one is, is counted from the head before it
 * was asked for, and whether a node is behind by the head after it. Otherwise a block that left the
 * chain in between would pass for one that is deep enough.
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

/** What honest nodes agree on: which transaction, in which block, how it ended. Heads differ. */
function digestOf(result: unknown): string {
	if (typeof result === "string") return "head";
	const { data } = placed.safeParse(result);
	if (data === undefined) return JSON.stringify(result ?? null);
	const { hash, transactionHash, blockHash, status } = data;
	return [hash ?? transactionHash, blockHash, status].join(" ").toLowerCase();
}
