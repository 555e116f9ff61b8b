import type { Rpc, RpcOutcome } from "#core/chain/rpc/Rpc.ts";
import { Fault } from "#core/fault/Fault.ts";
import { chainFault } from "#plugins/wallets/chain/faults.ts";
import type { ReceiptAsked } from "#plugins/wallets/chain/readReceipt.ts";
import { type Sighting, sightingCodec } from "#plugins/wallets/chain/sightingCodec.ts";

/**
 * `readReceipt` of many in one request. Each stands for itself: what a node cannot say of one of
 * them, or says wrong, is the answer for that one alone.
 *
 * Many take a while, and blocks come meanwhile: how deep one is, is counted from the head before it
 * was asked for, and whether a node is behind by the head after it. Otherwise a block that left the
 * chain in between would pass for one that is deep enough.
 */
export async function readReceipts(
	rpc: Rpc,
	{ asked, signal }: { asked: readonly Omit<ReceiptAsked, "signal">[]; signal: AbortSignal },
): Promise<(Sighting | null | Fault)[]> {
	const { head } = sightingCodec;
	const calls = [head, ...asked.flatMap(({ hash }) => sightingCodec.callsFor(hash)), head];
	const minBlock = Math.max(0, ...asked.map((one) => one.minBlock));
	const outcomes = await rpc.settle(calls, {
		...{ signal, minBlock, inOrder: true },
		isReadable: (result, place) => sightingCodec.isReadable(result, calls[place] ?? head),
	});
	const [before, ...answers] = outcomes;
	const headBlock = headOf(before);
	const newestBlock = headOf(answers.pop());
	return asked.map((one, place) => {
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
}

function headOf(outcome: RpcOutcome | undefined): number {
	if (outcome?.kind !== "result") throw outcome?.fault ?? chainFault.chainUnreadable();
	return sightingCodec.readHead(outcome.result);
}
