import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { z } from "zod";
import { catalogue } from "./catalogue.ts";
import { World } from "./World.ts";

const Header = z.object({
	format: z.literal(1),
	head: z.object({ number: z.int(), hash: z.string(), timeS: z.int() }),
	world: World,
});

export type Snapshot =
	| { kind: "none" }
	| { kind: "broken"; reason: string }
	| { kind: "found"; world: World; headHash: string; stateFile: string };

/** Reads what `writeSnapshot` left and unpacks anvil's state beside it, for `--load-state`. */
export function readSnapshot(dataDir: string): Snapshot {
	let bytes: Buffer;
	try {
		bytes = readFileSync(join(dataDir, "chain.snapshot"));
	} catch {
		return { kind: "none" };
	}
	try {
		const end = bytes.indexOf(10);
		const { head, world } = Header.parse(JSON.parse(bytes.subarray(0, end).toString()));
		const keys = world.collections.map((collection) => collection.key).join();
		if (keys !== catalogue.map((plan) => plan.key).join()) {
			return { kind: "broken", reason: "it is of another edition of this world" };
		}
		const stateFile = join(dataDir, "chain.unpacked.json");
		writeFileSync(stateFile, gunzipSync(bytes.subarray(end + 1)));
		return { kind: "found", world, headHash: head.hash, stateFile };
	} catch (cause) {
		const reason = cause instanceof Error ? cause.message.slice(0, 200) : "unreadable";
		return { kind: "broken", reason };
	}
}
