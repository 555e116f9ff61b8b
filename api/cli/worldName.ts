import type { World } from "#api/cli/startWorld.ts";
import { parseHead } from "#core/chain/heads/parseHead.ts";
import { hexQuantity } from "#core/chain/hexQuantity.ts";
import { httpRpc } from "#core/chain/rpc/httpRpc.ts";

/** Names a sandbox chain by the hash of its first block: another chain has another name. */
export async function worldName(world: Pick<World, "httpUrl" | "firstBlock">): Promise<string> {
	const rpc = httpRpc({
		url: world.httpUrl,
		timeoutMs: 10_000,
		batchMax: 1,
		concurrencyMax: 1,
		bodyBytesMax: 1_000_000,
	});
	const params = [hexQuantity(world.firstBlock), false];
	const header = parseHead(await rpc.call({ method: "eth_getBlockByNumber", params }));
	return `world-${header?.hash.slice(2, 12) ?? "unnamed"}`;
}
