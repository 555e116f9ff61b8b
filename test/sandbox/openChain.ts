import { renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { blockTimes } from "./blockTimes.ts";
import { catchUpTimes } from "./catchUpTimes.ts";
import { createWorld } from "./createWorld.ts";
import { findReverts } from "./findReverts.ts";
import type { Options } from "./parseOptions.ts";
import { readHead } from "./readHead.ts";
import { readSnapshot, type Snapshot } from "./readSnapshot.ts";
import { runTraffic } from "./runTraffic.ts";
import { type Anvil, startAnvil } from "./startAnvil.ts";
import type { Actor, World } from "./World.ts";

export type Opening = {
	options: Pick<Options, "dataDir" | "seed" | "historyBlocks" | "port">;
	actors: readonly Actor[];
	nowS(): number;
	say(line: string): void;
};
export type OpenChain = { anvil: Anvil; world: World };

/** Anvil's accounts: ten for people, then the actors. */
const ACCOUNTS_OF_PEOPLE = 10;

/** Opens the chain of the data directory: continues it, or starts it with its history. */
export async function openChain(opening: Opening): Promise<OpenChain> {
	const { options, say } = opening;
	const snapshot = readSnapshot(options.dataDir);
	let reason = snapshot.kind === "broken" ? snapshot.reason : undefined;
	if (snapshot.kind === "found") {
		try {
			return await continueChain(opening, snapshot);
		} catch (cause) {
			reason = cause instanceof Error ? cause.message : String(cause);
		}
	}
	if (reason !== undefined) {
		const file = join(options.dataDir, "chain.snapshot");
		say(
			`the saved chain cannot be used (${reason}); it is kept as ${file}.broken, a new world begins`,
		);
		renameSync(file, `${file}.broken`);
	}
	return await beginChain(opening);
}

async function continueChain(
	{ options, actors, nowS, say }: Opening,
	{ world, headHash, stateFile }: Extract<Snapshot, { kind: "found" }>,
): Promise<OpenChain> {
	const accounts = ACCOUNTS_OF_PEOPLE + actors.length;
	let anvil: Anvil;
	try {
		anvil = await startAnvil({ accounts, port: options.port, stateFile });
	} finally {
		rmSync(stateFile, { force: true });
	}
	try {
		const head = await readHead(anvil.rpc);
		if (head.hash !== headHash) throw new Error(`its head came back as ${head.hash}`);
		if (options.seed !== world.seed) say(`the saved world goes on with its own seed ${world.seed}`);
		const missed = catchUpTimes(head.timeS, nowS());
		await runChecked(anvil, { world, actors }, missed);
		return { anvil, world };
	} catch (cause) {
		await anvil.stop();
		throw cause;
	}
}

async function beginChain({ options, actors, nowS }: Opening): Promise<OpenChain> {
	const { seed, historyBlocks } = options;
	const times = blockTimes(nowS(), historyBlocks);
	const startS = times[0]?.timeS ?? nowS();
	const accounts = ACCOUNTS_OF_PEOPLE + actors.length;
	const anvil = await startAnvil({ accounts, port: options.port, genesisTimeS: startS - 60 });
	try {
		const world = await createWorld(anvil.rpc, { seed, historyBlocks, startS, actors });
		await runChecked(anvil, { world, actors }, times);
		return { anvil, world };
	} catch (cause) {
		await anvil.stop();
		throw cause;
	}
}

/** Runs traffic, and throws if a transaction reverted: the planner's state would be wrong. */
async function runChecked(
	{ rpc }: Anvil,
	people: { world: World; actors: readonly Actor[] },
	times: ReturnType<typeof blockTimes>,
): Promise<void> {
	const fromBlock =
		times.length > 0 && people.world.blocks === 0 ? 1 : (await readHead(rpc)).number + 1;
	const meaning = await runTraffic(rpc, people, times);
	const toBlock = (await readHead(rpc)).number;
	const { transactions, reverted } = await findReverts(rpc, { fromBlock, toBlock });
	if (reverted.length === 0) return;
	const shown = reverted
		.slice(0, 5)
		.map((hash) => `${meaning.get(hash)?.label ?? "setup"} ${hash}`);
	throw new Error(
		`${reverted.length} of ${transactions} transactions reverted: ${shown.join(", ")}`,
	);
}
