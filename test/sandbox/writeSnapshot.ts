import { closeSync, fsyncSync, openSync, renameSync, writeSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { Rpc } from "./Rpc.ts";
import { readHead } from "./readHead.ts";
import type { World } from "./World.ts";

/**
 * Saves the chain and what the traffic knows of it, in one file renamed into place.
 *
 * Not anvil's own `--state-interval`: it writes in place, so a kill in the middle leaves half a
 * chain, and the traffic's state would not be of the same block. Line 1 is JSON, then gzip.
 */
export async function writeSnapshot(rpc: Rpc, world: World, dataDir: string): Promise<void> {
	const head = await readHead(rpc);
	// Without historical states: blocks, receipts and logs are kept all the same, at half the size.
	const dump = z.string().parse(await rpc.call("anvil_dumpState", [false]));
	const file = join(dataDir, "chain.snapshot");
	const draft = `${file}.draft`;
	const out = openSync(draft, "w");
	try {
		writeSync(out, `${JSON.stringify({ format: 1, head, world })}\n`);
		writeSync(out, Buffer.from(dump.slice(2), "hex"));
		fsyncSync(out);
	} finally {
		closeSync(out);
	}
	renameSync(draft, file);
}
