import type { Hex } from "#core/chain/Hex.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";

/**
 * Hands a node a transaction that had left already, byte for byte: it has the hash and the nonce it
 * had, so however often this is done it is mined once at most. What the node answers proves
 * nothing; the next look at the hash does.
 */
export async function sendSigned(
	rpc: Rpc,
	{ signed, signal }: { signed: Hex; signal: AbortSignal },
): Promise<void> {
	await rpc.call({ method: "eth_sendRawTransaction", params: [signed] }, { signal });
}
