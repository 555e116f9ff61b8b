import type { World } from "#api/cli/startWorld.ts";
import { parseHead } from "#core/chain/heads/parseHead.ts";
import { hexQuantity } from "#core/chain/hexQuantity.ts";
import { httpRpc } from "#core/chain/rpc/httpRpc.ts";

type Named = Pick<World, "httpUrl" | "firstBlock">;

/** Names a sandbox by the first block of each of its chains: another chain has another name. */
export async function worldName(world: Named & { home: Named }): Promise<string> {
	const hashes = await Promise.all([world, world.home].map(firstHash));
	return `world-${hashes.join("-")}`;
}

async function firstHash({ httpUrl, firstBlock }: Named): Promise<string> {
	const rpc = httpRpc({
		url: httpUrl,
		timeoutMs: 10_000,
		batchMax: 1,
		concurrencyMax: 1,
		bodyBytesMax: 1_000_000,
	});
	const params = [hexQuantity(firstBlock), false];
	const header = parseHead(await rpc.call({ method: "eth_getBlockByNumber", params }));
	return header?.hash.slice(2, 12) ?? "unnamed";
}
