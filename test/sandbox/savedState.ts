// Saves a chain to disk and reads it back; one sandbox per directory.

import { Database } from "bun:sqlite";
import {
	closeSync,
	fsyncSync,
	mkdirSync,
	openSync,
	readFileSync,
	renameSync,
	rmSync,
	writeFileSync,
	writeSync,
} from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { z } from "zod";
import { catalogue } from "./catalogue.ts";
import { type Rpc, readHead } from "./createRpc.ts";
import { World } from "./World.ts";

export type ChainFile =
	| { kind: "none" }
	| { kind: "broken"; reason: string }
	| { kind: "found"; world: unknown; headHash: string; stateFile: string };

export type Snapshot =
	| Exclude<ChainFile, { kind: "found" }>
	| (Extract<ChainFile, { kind: "found" }> & { world: World });

/** The place of a chain's file: the data directory, and the chain's name in it. */
type ChainPlace = { dataDir: string; name: string };

const Header = z.object({
	format: z.literal(1),
	head: z.object({ number: z.int(), hash: z.string(), timeS: z.int() }),
	world: z.unknown(),
});

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

const INTERVAL_MS = 5_000;
const COST_FACTOR = 12;

/**
 * Makes the saver that decides when to write: every five seconds, or less often when writing is
 * slow.
 *
 * A dump takes 0.8 s after history and grows with the chain. Waiting twelve times its duration
 * keeps it below a tenth of a core; a kill -9 loses that much of the chain.
 */
export function createSaver(
	write: () => Promise<void>,
	nowMs: () => number,
): { save(): Promise<void>; saveIfDue(): Promise<void> } {
	let dueMs = 0;
	async function save(): Promise<void> {
		const startMs = nowMs();
		await write();
		const endMs = nowMs();
		dueMs = endMs + Math.max(INTERVAL_MS, COST_FACTOR * (endMs - startMs));
	}
	return {
		save,
		async saveIfDue() {
			if (nowMs() >= dueMs) await save();
		},
	};
}

/**
 * Makes this process the only sandbox on the directory; throws if another one runs there.
 *
 * It uses SQLite's file lock, because the system releases it however the process ends; with a file
 * that holds a process id, that id may belong to another process by now.
 */
export function lockDataDir(dataDir: string): { release(): void } {
	mkdirSync(dataDir, { recursive: true });
	const database = new Database(join(dataDir, "sandbox.lock"));
	try {
		database.run("PRAGMA locking_mode = EXCLUSIVE");
		database.run("BEGIN EXCLUSIVE");
	} catch (cause) {
		throw new Error(`another sandbox runs on ${dataDir}`, { cause });
	}
	return { release: () => database.close() };
}

/** Reads the saved chain of the market, with its traffic's state. */
export function readSnapshot(dataDir: string): Snapshot {
	const found = chainFile.read({ dataDir, name: "chain" });
	if (found.kind !== "found") return found;
	const { success, data: world, error } = World.safeParse(found.world);
	const keys = success ? world.collections.map((collection) => collection.key).join() : "";
	if (success && keys === catalogue.map((plan) => plan.key).join()) return { ...found, world };
	rmSync(found.stateFile, { force: true });
	const reason = error?.message.slice(0, 200) ?? "it is of another edition of this world";
	return { kind: "broken", reason };
}
