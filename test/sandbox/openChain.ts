// Opens the market's chain: continues it, or starts it with its history.

import { renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import {
	type Abi,
	encodeAbiParameters,
	encodeFunctionData,
	getContractAddress,
	type Hex,
	maxUint256,
	parseAbiParameters,
	parseEther,
} from "viem";
import { systemClock } from "#core/clock.ts";
import { type CollectionPlan, catalogue } from "./catalogue.ts";
import { type Artifacts, compileContracts } from "./compileContracts.ts";
import { type Rpc, readHead } from "./createRpc.ts";
import { planFeeds, usdFeedsOf } from "./feeds.ts";
import { installSeaport } from "./installSeaport.ts";
import { addresses, tokenAbi } from "./knownContracts.ts";
import type { Options } from "./parseOptions.ts";
import {
	blockTimes,
	catchUpTimes,
	findReverts,
	mineBlock,
	type OpenChain,
	runTraffic,
} from "./runTraffic.ts";
import { readSnapshot, type Snapshot } from "./savedState.ts";
import { type Anvil, startAnvil } from "./startAnvil.ts";
import type { Sandbox } from "./startSandbox.ts";
import type { PlannedTx } from "./traffic/Scene.ts";
import { type Actor, createActors, emptyWorld, type World, type WorldDraft } from "./World.ts";

export type Opening = {
	options: Pick<Options, "dataDir" | "seed" | "historyBlocks" | "port">;
	actors: readonly Actor[];
	nowS(): number;
	say(line: string): void;
};
/** The market's chain of the sandbox, without what else belongs to its world. */
export type MarketChain = Pick<Sandbox, "httpUrl" | "wsUrl" | "firstBlock" | "usdFeeds" | "stop">;

const setup721 = parseAbiParameters([
	"Setup setup",
	"struct Setup { string name; string symbol; string about; uint256 price; uint256 maxSupply; uint256 hue; uint256 motif; bool hidden; }",
]);
const setup1155 = parseAbiParameters([
	"Setup setup",
	"struct Setup { string name; string symbol; string about; uint256 price; uint256 editions; uint256 hue; uint256 motif; }",
]);

/** Anvil's accounts: ten for people, then the actors. */
const ACCOUNTS_OF_PEOPLE = 10;

const ACTORS = 40;
const silent = () => {};

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

/**
 * Opens the market's chain with its history and without traffic; each transaction is mined as it
 * comes. Half the work of `startSandbox`, which opens two more chains, all providers, and saves
 * them.
 */
export async function openMarketChain(options: {
	dataDir: string;
	seed: number;
	historyBlocks: number;
}): Promise<MarketChain> {
	const { anvil, world } = await openChain({
		options: { ...options, port: 0 },
		actors: createActors(Math.max(ACTORS, catalogue.length + 1)),
		nowS: () => Math.floor(systemClock.nowMs() / 1_000),
		say: silent,
	});
	await anvil.rpc.call("evm_setAutomine", [true]);
	return {
		httpUrl: `http://127.0.0.1:${anvil.port}`,
		wsUrl: `ws://127.0.0.1:${anvil.port}`,
		firstBlock: world.firstBlock,
		usdFeeds: usdFeedsOf(world),
		stop: anvil.stop,
	};
}

/**
 * Deploys Seaport, the currencies and the collections into an empty chain, in blocks 1 and 2;
 * returns the world.
 */
export async function createWorld(rpc: Rpc, draft: WorldDraft): Promise<World> {
	const { actors, startS } = draft;
	const artifacts = compileContracts();
	const owner = actors[0];
	const banker = actors[catalogue.length];
	if (!owner || !banker) throw new Error("more collections than people");
	const openConduit = await installSeaport(rpc, owner.address);
	// Solady's WETH keeps no state from its constructor, so its runtime code is enough.
	await rpc.call("anvil_setCode", [addresses.weth, artifacts.WETH.runtime]);
	const world = emptyWorld(draft, getContractAddress({ from: banker.address, nonce: 0n }));
	const deploys = catalogue.map((plan, actor) =>
		call(actor, { to: "0x", data: creationOf(plan, artifacts) }),
	);
	deploys.push(call(catalogue.length, { to: "0x", data: artifacts.SandboxCoin.creation }));
	const planned = planFeeds(banker.address, artifacts.SandboxFeed.creation);
	world.feeds = planned.feeds;
	deploys.push(...planned.deploys.map((data) => call(catalogue.length, { to: "0x", data })));
	deploys.push(call(0, openConduit));
	await mineBlock(rpc, { world, actors, txs: deploys, timeS: startS - 30 });
	await mineBlock(rpc, { world, actors, txs: openPurses(world, actors), timeS: startS - 15 });
	return world;
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

function call(actor: number, to: { to: Hex; data: Hex; value?: bigint }): PlannedTx {
	return { actor, to: to.to, data: to.data, value: to.value ?? 0n, label: "setup" };
}

function creationOf(plan: CollectionPlan, artifacts: Artifacts): Hex {
	const { name, symbol, about } = plan;
	const common = { name, symbol, about, price: parseEther(plan.mintEther) };
	const look = { hue: BigInt(plan.hue), motif: BigInt(plan.motif) };
	const maxSupply = BigInt(plan.maxSupply);
	if (plan.standard === "erc1155") {
		const setup = { ...common, ...look, editions: maxSupply };
		return `${artifacts.Sandbox1155.creation}${encodeAbiParameters(setup1155, [setup]).slice(2)}`;
	}
	const setup = { ...common, ...look, maxSupply, hidden: plan.reveal !== undefined };
	return `${artifacts.Sandbox721.creation}${encodeAbiParameters(setup721, [setup]).slice(2)}`;
}

/**
 * Returns the transactions that give every actor WETH and coins, and allow the conduit to move
 * these and the tokens of every collection.
 */
function openPurses(world: World, actors: readonly Actor[]): PlannedTx[] {
	const approveAll = encode("setApprovalForAll", [addresses.conduit, true]);
	const approve = encode("approve", [addresses.conduit, maxUint256]);
	return actors.flatMap(({ address }, actor) => [
		call(actor, { to: addresses.weth, data: encode("deposit", []), value: parseEther("50000") }),
		call(actor, { to: addresses.weth, data: approve }),
		call(actor, { to: world.coin, data: encode("mint", [address, 10n ** 15n]) }),
		call(actor, { to: world.coin, data: approve }),
		...world.collections.map((collection) =>
			call(actor, { to: collection.address, data: approveAll }),
		),
	]);
}

function encode(functionName: string, args: readonly unknown[]): Hex {
	const abi: Abi = tokenAbi;
	return encodeFunctionData({ abi, functionName, args });
}
