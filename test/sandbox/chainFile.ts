import {
	closeSync,
	fsyncSync,
	openSync,
	readFileSync,
	renameSync,
	writeFileSync,
	writeSync,
} from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { z } from "zod";
import type { Rpc } from "./Rpc.ts";
import { readHead } from "./readHead.ts";

const Header = z.object({
	format: z.literal(1),
	head: z.object({ number: z.int(), hash: z.string(), timeS: z.int() }),
	world: z.unknown(),
});

/** The place of a chain's file: the data directory, and the chain's name in it. */
type ChainPlace = { dataDir: string; name: string };

export type ChainFile =
	| { kind: "none" }
	| { kind: "broken"; reason: string }
	| { kind: "found"; world: unknown; headHash: string; stateFile: string };

/**
 * Saves a chain and reads it back: one file, renamed into place. Line 1 is JSON, the rest gzip.
 *
 * Not anvil's own `--state-interval`: it writes in place, so a kill leaves half a chain, and the
 * traffic's state would belong to another block.
 */
export const chainFile = {
	pathOf: ({ dataDir, name }: ChainPlace): string => join(dataDir, `${name}.snapshot`),

	async write(rpc: Rpc, place: ChainPlace & { world: unknown }): Promise<void> {
		const head = await readHead(rpc);
		// Without historical states; blocks, receipts and logs are still kept, at half the size.
		const dump = z.string().parse(await rpc.call("anvil_dumpState", [false]));
		const file = chainFile.pathOf(place);
		const draft = `${file}.draft`;
		const out = openSync(draft, "w");
		try {
			writeSync(out, `${JSON.stringify({ format: 1, head, world: place.world })}\n`);
			writeSync(out, Buffer.from(dump.slice(2), "hex"));
			fsyncSync(out);
		} finally {
			closeSync(out);
		}
		renameSync(draft, file);
	},

	/** Reads the file, and unpacks anvil's state beside it, for `--load-state`. */
	read(place: ChainPlace): ChainFile {
		let bytes: Buffer;
		try {
			bytes = readFileSync(chainFile.pathOf(place));
		} catch {
			return { kind: "none" };
		}
		try {
			const end = bytes.indexOf(10);
			const { head, world } = Header.parse(JSON.parse(bytes.subarray(0, end).toString()));
			const stateFile = join(place.dataDir, `${place.name}.unpacked.json`);
			writeFileSync(stateFile, gunzipSync(bytes.subarray(end + 1)));
			return { kind: "found", world, headHash: head.hash, stateFile };
		} catch (cause) {
			const reason = cause instanceof Error ? cause.message.slice(0, 200) : "unreadable";
			return { kind: "broken", reason };
		}
	},
};
