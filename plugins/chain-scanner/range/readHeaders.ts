import type { Head } from "#core/chain/heads/Head.ts";
import { parseHead } from "#core/chain/heads/parseHead.ts";
import { hexQuantity } from "#core/chain/hexQuantity.ts";
import type { Rpc, RpcCall } from "#core/chain/rpc/Rpc.ts";

/** Returns headers by number, in one batch; null where the node has no such block yet. */
export async function readHeaders(
	rpc: Rpc,
	numbers: readonly number[],
	signal: AbortSignal,
): Promise<(Head | null)[]> {
	if (numbers.length === 0) return [];
	const answers = await rpc.batch(numbers.map(headerCall), { signal });
	return numbers.map((number, index) => {
		const header = parseHead(answers[index]);
		return header?.number === number ? header : null;
	});
}

export function headerCall(block: number): RpcCall {
	return { method: "eth_getBlockByNumber", params: [hexQuantity(block), false] };
}
