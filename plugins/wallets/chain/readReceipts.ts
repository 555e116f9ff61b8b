import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import { Fault } from "#core/fault/Fault.ts";
import { chainFault } from "#plugins/wallets/chain/faults.ts";
import type { ReceiptAsked } from "#plugins/wallets/chain/readReceipt.ts";
import { type Sighting, sightingCodec } from "#plugins/wallets/chain/sightingCodec.ts";

/**
 * `readReceipt` of many in one request. Each stands for itself: what a node cannot say of one of
 * them, or says wrong, is the answer for that one alone.
 */
export async function readReceipts(
	rpc: Rpc,
	{ asked, signal }: { asked: readonly Omit<ReceiptAsked, "signal">[]; signal: AbortSignal },
): Promise<(Sighting | null | Fault)[]> {
	const calls = [...asked.flatMap(({ hash }) => sightingCodec.callsFor(hash)), sightingCodec.head];
	const minBlock = Math.max(0, ...asked.map((one) => one.minBlock));
	const outcomes = await rpc.settle(calls, { signal, minBlock, inOrder: true });
	const head = outcomes.at(-1);
	if (head?.kind !== "result") throw head?.fault ?? chainFault.chainUnreadable();
	const headBlock = sightingCodec.readHead(head.result);
	return asked.map((one, place) => {
		const [seen, mined] = outcomes.slice(2 * place, 2 * place + 2);
		if (seen?.kind !== "result") return seen?.fault ?? chainFault.chainUnreadable();
		if (mined?.kind !== "result") return mined?.fault ?? chainFault.chainUnreadable();
		try {
			return sightingCodec.read({ seen: seen.result, mined: mined.result, headBlock }, one);
		} catch (error) {
			if (error instanceof Fault) return error;
			throw error;
		}
	});
}
