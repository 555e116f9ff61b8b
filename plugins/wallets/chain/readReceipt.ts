import type { Hex } from "#core/chain/Hex.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import { type Sighting, sightingCodec } from "#plugins/wallets/chain/sightingCodec.ts";

export type ReceiptAsked = {
	hash: Hex;
	/** The block where it was seen before, 0 where it was not. */
	minBlock: number;
	signal: AbortSignal;
};

/** What a chain knows of a hash; null where the node knows nothing of it. */
export async function readReceipt(
	rpc: Rpc,
	{ hash, minBlock, signal }: ReceiptAsked,
): Promise<Sighting | null> {
	const calls = [...sightingCodec.callsFor(hash), sightingCodec.head];
	const [seen, mined, head] = await rpc.batch(calls, {
		...{ signal, minBlock },
		isReadable: (result, place) =>
			sightingCodec.isReadable(result, calls[place] ?? sightingCodec.head),
	});
	const headBlock = sightingCodec.readHead(head);
	return sightingCodec.read({ seen, mined, headBlock }, { hash, minBlock });
}
