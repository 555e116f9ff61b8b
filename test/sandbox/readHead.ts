import { z } from "zod";
import type { Rpc } from "./Rpc.ts";

const Block = z.object({ number: z.string(), hash: z.string(), timestamp: z.string() });

/** Reads the newest block; never cached, because a person may have mined one. */
export async function readHead(rpc: Rpc): Promise<{ number: number; hash: string; timeS: number }> {
	const block = Block.parse(await rpc.call("eth_getBlockByNumber", ["latest", false]));
	return { number: Number(block.number), hash: block.hash, timeS: Number(block.timestamp) };
}
