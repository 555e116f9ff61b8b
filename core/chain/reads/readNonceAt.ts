import { chainNumbers } from "#core/chain/chainNumbers.ts";
import type { Address } from "#core/chain/Hex.ts";
import { hexQuantity } from "#core/chain/hexQuantity.ts";
import { readAnswer } from "#core/chain/reads/readAnswer.ts";
import { readableBy } from "#core/chain/reads/readableBy.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import { Fault } from "#core/fault/Fault.ts";

/**
 * Reads how many nonces of an account were used as of a block. Null where the node refuses, because
 * it no longer has that state.
 */
export async function readNonceAt(
	rpc: Rpc,
	{ address, block, signal }: { address: Address; block: number; signal: AbortSignal },
): Promise<number | null> {
	const params = [address, hexQuantity(block)];
	try {
		const count = await rpc.call(
			{ method: "eth_getTransactionCount", params },
			{ signal, isReadable: readableBy([chainNumbers.nonce]) },
		);
		return readAnswer(chainNumbers.nonce, count);
	} catch (error) {
		if (error instanceof Fault && error.code === "rpc_refused") return null;
		throw error;
	}
}
