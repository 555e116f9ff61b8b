import type { Hex } from "#core/chain/Hex.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import { Fault } from "#core/fault/Fault.ts";
import { readReceipts } from "#plugins/wallets/chain/readReceipts.ts";
import type { Sighting } from "#plugins/wallets/chain/sightingCodec.ts";

export type ReceiptAsked = {
	hash: Hex;
	/** The block where it was seen before, 0 where it was not. */
	minBlock: number;
	/** The hash of that block: a receipt in it was checked when it was first seen there. */
	knownBlock?: Hex | null;
	/** No receipt in an older block is believed, by the chain's head. */
	oldestBlock?(headBlock: number): number;
	/** So many blocks on top make it final: a second look has the node show the highest. */
	finalDepth?: number;
};

export type ReceiptReading = {
	signal: AbortSignal;
	/** As `readReceipts` takes them. */
	second?: boolean;
	heard?: Set<string>;
};

/** What a chain knows of a hash; null where the node knows nothing of it. */
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
