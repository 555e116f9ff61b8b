import { fillChain } from "#test/bench/chain/fillChain.ts";
import type { Node } from "#test/bench/chain/startNode.ts";
import type { Workload } from "#test/bench/chain/workload.ts";
import type { Scope } from "#test/bench/createScope.ts";
import type { ReadComparison } from "#test/bench/measure/compareReads.ts";
import type { Delays } from "#test/bench/measure/measureDelays.ts";
import type { YoungServiceOptions } from "#test/bench/measure/openYoungService.ts";
import { type Backlog, runBacklog } from "#test/bench/measure/runBacklog.ts";
import { type CachedList, runCachedList } from "#test/bench/measure/runCachedList.ts";
import { type CatchUp, runCatchUp } from "#test/bench/measure/runCatchUp.ts";
import { type FanOut, runFanOut } from "#test/bench/measure/runFanOut.ts";
import { type Intents, runIntents } from "#test/bench/measure/runIntents.ts";
import { runBareLive, runLive } from "#test/bench/measure/runLive.ts";
import { type MarketRead, runMarketReads } from "#test/bench/measure/runMarketReads.ts";
import { type MetadataBurst, runMetadataBurst } from "#test/bench/measure/runMetadataBurst.ts";
import { type Ranking, runRanking } from "#test/bench/measure/runRanking.ts";
import { runReads } from "#test/bench/measure/runReads.ts";
import { type Recoveries, runRecoveries } from "#test/bench/measure/runRecoveries.ts";
import { runReorgs } from "#test/bench/measure/runReorgs.ts";
import { runWideCatchUp } from "#test/bench/measure/runWideCatchUp.ts";
import { type RpcCounts, startCountingProxy } from "#test/bench/measure/startCountingProxy.ts";
import { type Floor, runFloor } from "#test/bench/reference/runFloor.ts";

/** Measures. Each method works once, on first call, and gives every figure the same answer. */
export type Lab = {
	/** Timed runs from an empty database to the last row, each followed by one of the bare script. */
	catchUps(): Promise<readonly { service: CatchUp; floor: Floor }[]>;
	/** One more, through a counting proxy and with memory sampled: not for times. */
	observedCatchUp(): Promise<{ counts: RpcCounts; treePeakMb: number }>;
	live(): Promise<Delays>;
	bareLive(): Promise<Delays>;
	/** A start far behind the head, and the head while the rest is read. */
	backlog(): Promise<Backlog>;
	/** From a fork that replaces the newest blocks to the last frame about it. */
	reorgs(): Promise<Delays>;
	recoveries(): Promise<Recoveries>;
	fanOut(): Promise<readonly FanOut[]>;
	cachedList(): Promise<CachedList>;
	/** A collection ranked, from traits in memory. */
	ranking(): Promise<Ranking>;
	/** A collection read from its tokens' URIs, counted and ranked. */
	metadataBurst(): Promise<MetadataBurst>;
	/** Pages of an index with full tables of the provider's, beside a bare script. */
	marketReads(): Promise<readonly MarketRead[]>;
	/** Wallet transfers up to the wallet provider, beside a bare script. */
	intents(): Promise<Intents>;
	reads(): Promise<readonly ReadComparison[]>;
	/** A wide chain onto the large index of `reads`. */
	wideCatchUp(): Promise<CatchUp>;
};

/** What the ten minutes of a whole run leave room for; the 99th percentile is the third worst. */
const READ_CALLS = 200;

export type LabOptions = {
	scope: Scope;
	workload: Workload;
	/** How often a catch-up and its floor are repeated. */
	runs: number;
	/** Where the service's CPU profiles go; null for none. */
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
		runCatchUp({ scope, workload, node, rpcUrls: [rpcUrl], sampleTree, runtimeArgs });
	const large = once(async () => measureLarge({ scope, runtimeArgs, say }));

	return {
		catchUps: once(async () => {
			const node = await chain();
			const pairs: { service: CatchUp; floor: Floor }[] = [];
			for (let run = 1; run <= runs; run++) {
				say(`catching up and running the floor, ${run} of ${runs}`);
				const service = await catchUp(node, node.url, false);
				pairs.push({ service, floor: await runFloor(scope, node, workload) });
			}
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
		recoveries: measured("killing service and server", runRecoveries, young),
		fanOut: measured("publishing to a crowd", runFanOut, { scope, runtimeArgs }),
		cachedList: measured("asking for a cached list", runCachedList, young),
		ranking: measured("ranking", runRanking, { scope }),
		metadataBurst: measured("reading a collection's tokens", runMetadataBurst, { scope }),
		marketReads: measured("reading pages of a market", runMarketReads, { scope, say }),
		intents: measured("sending intents", runIntents, { scope, runtimeArgs }),
		reads: async () => (await large()).reads,
		wideCatchUp: async () => (await large()).wide,
	};
}

/** Both on one index of 10 million events: filling it is the longest single piece of the bench. */
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

function once<Result>(measure: () => Promise<Result>): () => Promise<Result> {
	let measured: Promise<Result> | null = null;
	return () => {
		measured ??= measure();
		return measured;
	};
}
