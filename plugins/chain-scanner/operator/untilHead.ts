import type { Head } from "#core/chain/heads/Head.ts";
import { parseHead } from "#core/chain/heads/parseHead.ts";
import type { ChainAccess } from "#core/plugin/Core.ts";
import { sleep } from "#core/time/sleep.ts";

const ASK_EVERY_MS = 1_000;

/**
 * Returns the chain's head; waits for an unavailable endpoint, and says so once. Null when aborted.
 */
export async function untilHead(
	{ chain, rpcFor }: Pick<ChainAccess, "chain" | "rpcFor">,
	{ signal, note }: { signal: AbortSignal; note(line: string): void },
): Promise<Head | null> {
	const call = { method: "eth_getBlockByNumber", params: ["latest", false] };
	let told = false;
	while (!signal.aborted) {
		const head = await rpcFor("heads")
			.call(call, { signal })
			.then(parseHead, () => null);
		if (head) return head;
		if (!told && !signal.aborted) {
			note(`the RPC endpoint of ${chain.slug} does not answer; waiting for it`);
		}
		told = true;
		await sleep(ASK_EVERY_MS, signal);
	}
	return null;
}
