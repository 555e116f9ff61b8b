// Takes the bench's measurements, each once for all figures that need it.

import { dayChain, dayContents } from "#test/bench/chain/day/answerDay.ts";
import { startDayNode } from "#test/bench/chain/day/startDayNode.ts";
import type { Node } from "#test/bench/chain/model.ts";
import { fillChain, startYoungChain } from "#test/bench/chain/startNode.ts";
import {
	type Contents,
	contentsOf,
	rowsPerBlock,
	SPREAD_WORKLOAD,
	VERY_WIDE_WORKLOAD,
	WIDE_WORKLOAD,
	type Workload,
} from "#test/bench/chain/workload.ts";
import type { Delays, YoungServiceOptions } from "#test/bench/measure/openYoungService.ts";
import { type AgentReplies, runAgent } from "#test/bench/measure/runAgent.ts";
import { type Backlog, type Behind, runBacklog, runBehind } from "#test/bench/measure/runBehind.ts";
import { type BusyMarket, runBusyMarket } from "#test/bench/measure/runBusyMarket.ts";
import {
	type CatchUp,
	type Remote,
	runCatchUp,
	runRemote,
	runWideCatchUp,
} from "#test/bench/measure/runCatchUp.ts";
import { type EconomicsReads, runEconomics } from "#test/bench/measure/runEconomics.ts";
import { type FanOut, runFanOut } from "#test/bench/measure/runFanOut.ts";
import { type FirstSyncs, runFirstSyncs } from "#test/bench/measure/runFirstSyncs.ts";
import {
	type Intents,
	runIntents,
	runTrades,
	type Trades,
} from "#test/bench/measure/runIntents.ts";
import {
	type FifteenFills,
	type ManyReveals,
	type PlanFills,
	runFifteenFills,
	runManyReveals,
	runPlanFills,
} from "#test/bench/measure/runPlans.ts";
import {
	type CachedPages,
	type MarketRead,
	type ReadComparison,
	runCachedList,
	runMarketReads,
	runReads,
} from "#test/bench/measure/runReads.ts";
import {
	type Recoveries,
	runBareLive,
	runLive,
	runRecoveries,
	runReorgs,
} from "#test/bench/measure/runReorgs.ts";
import {
	type Detections,
	runDetections,
	runSilentTokens,
	runSixReveals,
	runWholeReveal,
	type SilentTokens,
	type SixReveals,
	type WholeReveal,
} from "#test/bench/measure/runReveals.ts";
import {
	type BridgeTimes,
	type CommandRates,
	type MetadataBurst,
	type Ranking,
	runBridges,
	runCommands,
	runMetadataBurst,
	runRanking,
} from "#test/bench/measure/runScript.ts";
import { runSocial, type SocialTimes } from "#test/bench/measure/runSocial.ts";
import {
	type NodeLimits,
	type RpcCounts,
	startCountingProxy,
} from "#test/bench/measure/startCountingProxy.ts";
import type { Scope } from "#test/bench/measure/startServiceProcess.ts";
import { type Floor, runFloor } from "#test/bench/reference/runFloor.ts";

/**
 * Takes measurements. Each method works once, on first call, and gives every figure the same
 * result.
 */
export type Lab = {
	/**
	 * Returns timed runs from an empty database to the last row, each followed by one of the bare
	 * script.
	 */
	catchUps(): Promise<readonly Pair[]>;
	/** Returns one more run, through a counting proxy and with memory sampled: not for times. */
	observedCatchUp(): Promise<{ counts: RpcCounts; treePeakMb: number }>;
	live(): Promise<Delays>;
	bareLive(): Promise<Delays>;
	/** Returns a start far behind the head, and the delays at the head while the rest is read. */
	backlog(): Promise<Backlog>;
	/** Returns delays from a fork that replaces the newest blocks to the last frame about it. */
	reorgs(): Promise<Delays>;
	/** Returns the same two, and blocks of mints, with a node that is 50 ms away. */
	far(what: "sales" | "mints" | "reorgs"): Promise<Delays>;
	recoveries(): Promise<Recoveries>;
	fanOut(): Promise<readonly FanOut[]>;
	cachedPages(): Promise<CachedPages>;
	/** Returns the ranking of a collection, from traits in memory. */
	ranking(): Promise<Ranking>;
	/** Returns the reading of a collection from its tokens' URIs, with counting and ranking. */
	metadataBurst(): Promise<MetadataBurst>;
	/** Returns the delays of reveals on a real node, from their block until they are noticed. */
	detections(): Promise<Detections>;
	/** Returns the delays from ranks to a plan's first fill, on the real marketplace. */
	planFills(): Promise<PlanFills>;
	/**
	 * Returns the result of many collections revealed in one block, with the provider's few
	 * fulfilments.
	 */
	manyReveals(): Promise<ManyReveals>;
	/** Returns one reveal of ten thousand tokens, in a whole sandbox. */
	wholeReveal(): Promise<WholeReveal>;
	/** Returns such reveals of which a part of the tokens never answers. */
	silentTokens(): Promise<SilentTokens>;
	/** Returns how six bursts followed each other that were revealed in one block. */
	sixReveals(): Promise<SixReveals>;
	/** Returns how long fifteen buys of one plan take, on the real marketplace. */
	fifteenFills(): Promise<FifteenFills>;
	/** Returns pages of an index with full tables of the provider's, beside a bare script. */
	marketReads(): Promise<readonly MarketRead[]>;
	/** Returns searches, and then pushes by the thousand with concurrent reads. */
	busyMarket(): Promise<BusyMarket>;
	/** Returns how fast the commands of all built-in plugins are read, in a process of their own. */
	commands(): Promise<CommandRates>;
	/** Returns texts over HTTP about the same market, then all channels at once. */
	agent(): Promise<AgentReplies>;
	/** Returns wallet transfers up to the wallet provider, beside a bare script. */
	intents(): Promise<Intents>;
	/** Returns mentions from their delivery until an emulated X has the answer. */
	social(): Promise<SocialTimes>;
	/** Returns bridges between two chains, in a process of their own. */
	bridges(): Promise<BridgeTimes>;
	/** Returns stock tokens bought through the whole service. */
	trades(): Promise<Trades>;
	/** Returns reads of the token's economics, of ledgers of two sizes. */
	economics(): Promise<EconomicsReads>;
	/** Returns the first syncs of a hundred collections, on a clock of their own. */
	firstSyncs(): Promise<FirstSyncs>;
	reads(): Promise<readonly ReadComparison[]>;
	/** Returns the catch-up of a wide chain into the large index of `reads`. */
	wideCatchUp(): Promise<CatchUp>;
	/** Returns the same on chains that suit us less, each beside the bare script. */
	otherChains(name: keyof typeof otherWorkloads): Promise<readonly Pair[]>;
	/** Returns the catch-up of the bench's own chain with a node that is far away, or limits. */
	remote(name: keyof typeof nodeTerms): Promise<Remote>;
	/** Returns the catch-up of a realistic day, by the seconds between two blocks. */
	day(blockSeconds: number): Promise<readonly Pair[]>;
	/** Returns a start so many blocks behind a resting head. */
	behind(blocks: number): Promise<Behind>;
};

export type Pair = { service: CatchUp; floor: Floor };

const otherWorkloads = {
	spread: SPREAD_WORKLOAD,
	wide: WIDE_WORKLOAD,
	"very wide": VERY_WIDE_WORKLOAD,
};

/** Milliseconds of a round trip. */
const FAR_MS = 50;

const nodeTerms = {
	near: {},
	far: { delayMs: 50 },
	"25 requests/s": { delayMs: 50, requestsPerSecond: 25 },
	"100 calls/s": { delayMs: 50, callsPerSecond: 100 },
} satisfies Record<string, NodeLimits>;

const DAY_SECONDS = 86_400;
/** A longer chain comes from a node that computes it: anvil slows down with its length. */
const YOUNG_BLOCKS_MAX = 2_000;
const LONG_BLOCK_SECONDS = 2;
/** Blocks of a long chain that a service has read before it is stopped. */
const LONG_FROM = 100;

/** What fits into the ten minutes of a whole run; the 99th percentile is the third worst. */
const READ_CALLS = 200;

export type LabOptions = {
	scope: Scope;
	workload: Workload;
	/** How often a catch-up and its floor are repeated. */
	runs: number;
	/** The folder of the service's CPU profiles; null for none. */
	profileDir: string | null;
	say(line: string): void;
};

export function createLab(options: LabOptions): Lab {
	const { scope, workload, runs, profileDir, say } = options;
	const runtimeArgs =
		profileDir === null ? [] : ["--cpu-prof", "--cpu-prof-md", "--cpu-prof-dir", profileDir];
	const young: YoungServiceOptions = { scope, workload, runtimeArgs };
	const measured = <Given, Result>(
		what: string,
		run: (given: Given) => Promise<Result>,
		given: Given,
	) =>
		once(() => {
			say(what);
			return run(given);
		});
	const chain = once(async (): Promise<Node> => {
		say(`filling a chain of ${workload.blocks + 1} blocks`);
		const node = await fillChain(workload);
		scope.defer(node.stop);
		return node;
	});
	const catchUp = async (node: Node, rpcUrl: string, sampleTree: boolean) =>
		runCatchUp({ scope, contents, node, rpcUrls: [rpcUrl], sampleTree, runtimeArgs });
	const contents = contentsOf(workload);
	const large = once(async () => measureLarge({ scope, runtimeArgs, say }));
	const pairsOn = async (node: Node, of: Contents): Promise<Pair[]> => {
		const pairs: Pair[] = [];
		for (let run = 1; run <= runs; run++) {
			say(`catching up and running the floor, ${run} of ${runs}`);
			const rpcUrls = [node.url];
			const given = { scope, contents: of, node, rpcUrls, sampleTree: false, runtimeArgs };
			const service = await runCatchUp(given);
			pairs.push({ service, floor: await runFloor(scope, node, of) });
		}
		return pairs;
	};

	return {
		catchUps: once(async () => pairsOn(await chain(), contents)),
		otherChains: onceEach(async (name) => {
			say(`filling a chain: ${name}`);
			const node = await fillChain(otherWorkloads[name]);
			const stopNode = scope.defer(node.stop);
			const pairs = await pairsOn(node, contentsOf(otherWorkloads[name]));
			await stopNode();
			return pairs;
		}),
		remote: onceEach(async (name) => {
			const node = await chain();
			say(`catching up by a node that is ${name}`);
			return runRemote({ scope, contents, node, limits: nodeTerms[name], runtimeArgs });
		}),
		behind: onceEach(async (blocks) => {
			say(`starting ${blocks} blocks behind`);
			const isLong = blocks > YOUNG_BLOCKS_MAX;
			const behind = isLong ? await longBehind(scope, blocks) : await youngBehind(young, blocks);
			return runBehind({ scope, runtimeArgs, ...behind }).finally(behind.stop);
		}),
		day: onceEach(async (blockSeconds) => {
			say(`reading a day of ${blockSeconds} s blocks`);
			const chain = dayChain({ blocks: DAY_SECONDS / blockSeconds, blockSeconds });
			const node = await startDayNode(chain);
			const stopNode = scope.defer(node.stop);
			const pairs = await pairsOn(node, dayContents(chain));
			await stopNode();
			return pairs;
		}),
		observedCatchUp: once(async () => {
			const node = await chain();
			say("catching up, counted");
			const proxy = startCountingProxy(node.url);
			const stopProxy = scope.defer(proxy.stop);
			const { treePeakMb } = await catchUp(node, proxy.url, true);
			const counts = proxy.counts();
			await stopProxy();
			return { counts, treePeakMb };
		}),
		live: measured("timing blocks to frames", runLive, young),
		bareLive: measured("timing blocks to frames of the bare script", runBareLive, young),
		backlog: measured("starting far behind, and timing blocks meanwhile", runBacklog, young),
		reorgs: measured("replacing blocks", runReorgs, young),
		far: onceEach(async (what) => {
			say(`timing ${what} by a node that is ${FAR_MS} ms away`);
			const options = { ...young, delayMs: FAR_MS };
			return what === "reorgs" ? runReorgs(options) : runLive({ ...options, what });
		}),
		recoveries: measured("killing service and server", runRecoveries, young),
		fanOut: measured("publishing to a crowd", runFanOut, { scope, runtimeArgs }),
		cachedPages: measured("asking for cached pages", runCachedList, young),
		ranking: measured("ranking", runRanking, { scope }),
		metadataBurst: measured("reading a collection's tokens", runMetadataBurst, { scope }),
		detections: measured("noticing reveals", runDetections, { scope }),
		planFills: measured("filling plans", runPlanFills, { scope }),
		manyReveals: measured("revealing twenty collections at once", runManyReveals, { scope }),
		wholeReveal: measured("revealing ten thousand tokens", runWholeReveal, { scope }),
		silentTokens: measured("revealing with silent documents", runSilentTokens, { scope }),
		sixReveals: measured("revealing six collections in one block", runSixReveals, { scope }),
		fifteenFills: measured("filling a plan of fifteen", runFifteenFills, { scope }),
		marketReads: measured("reading pages of a market", runMarketReads, { scope, say }),
		busyMarket: measured("searching, and storing pushes", runBusyMarket, {
			scope,
			runtimeArgs,
			say,
		}),
		commands: measured("reading commands", runCommands, { scope }),
		agent: measured("asking the agent", runAgent, { scope, runtimeArgs, say }),
		intents: measured("sending intents", runIntents, { scope, runtimeArgs }),
		social: measured("answering mentions", runSocial, { scope, runtimeArgs, say }),
		bridges: measured("bridging", runBridges, { scope }),
		trades: measured("trading stock tokens", runTrades, { scope, runtimeArgs }),
		economics: measured("reading the token's economics", runEconomics, { scope, say }),
		firstSyncs: measured("syncing a hundred collections", runFirstSyncs, { scope }),
		reads: async () => (await large()).reads,
		wideCatchUp: async () => (await large()).wide,
	};
}

async function youngBehind({ scope, workload }: YoungServiceOptions, blocks: number) {
	const { node, mine, stop } = await startYoungChain(scope, workload);
	const rowsAtTip = rowsPerBlock(workload);
	return { node, stop, mine: () => mine(blocks), rows: blocks * rowsAtTip, rowsAtTip };
}

async function longBehind(scope: Scope, blocks: number) {
	const chainOf = (length: number) =>
		dayChain({ blocks: length, blockSeconds: LONG_BLOCK_SECONDS });
	const rowsFrom = (from: number, length: number) => {
		const { mints, sales } = dayContents(chainOf(length), from);
		return mints + sales;
	};
	let tip = LONG_FROM + blocks;
	while (rowsFrom(tip, tip) === 0) tip++;
	const node = await startDayNode(chainOf(tip), LONG_FROM);
	return {
		node,
		stop: scope.defer(node.stop),
		mine: () => node.call<void>("bench_mine", [tip - LONG_FROM]),
		rows: rowsFrom(LONG_FROM + 1, tip),
		rowsAtTip: rowsFrom(tip, tip),
	};
}

/**
 * Measures both on one index of 10 million events: filling it is the longest single part of the
 * bench.
 */
async function measureLarge(
	options: Pick<LabOptions, "scope" | "say"> & { runtimeArgs: readonly string[] },
): Promise<{ reads: readonly ReadComparison[]; wide: CatchUp }> {
	const { scope, say } = options;
	const catchUps: CatchUp[] = [];
	const reads = await runReads({
		scope,
		say,
		calls: READ_CALLS,
		async afterwards(index) {
			catchUps.push(await runWideCatchUp({ ...options, index }));
		},
	});
	const [wide] = catchUps;
	if (!wide) throw new Error("the wide chain was not caught up with");
	return { reads, wide };
}

/** Returns a function that measures once for each argument. */
function onceEach<Asked, Result>(
	measure: (asked: Asked) => Promise<Result>,
): (asked: Asked) => Promise<Result> {
	const measured = new Map<Asked, Promise<Result>>();
	return (asked) => {
		const result = measured.get(asked) ?? measure(asked);
		measured.set(asked, result);
		return result;
	};
}

function once<Result>(measure: () => Promise<Result>): () => Promise<Result> {
	let measured: Promise<Result> | null = null;
	return () => {
		measured ??= measure();
		return measured;
	};
}
