import type { Hex } from "#core/chain/Hex.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";

/**
 * Sends a signed transaction that was sent before, byte for byte: hash and nonce are the same, so
 * it is mined at most once, however often this is done. The node's answer proves nothing; the next
 * lookup of the hash does.
 */
export async function sendSigned(
	rpc: Rpc,
	{ signed, signal }: { signed: Hex; signal: AbortSignal },
): Promise<void> {
	await rpc.call({ method: "eth_sendRawTransaction", params: [signed] }, { signal });
}
