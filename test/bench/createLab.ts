import { fillChain } from "#test/bench/chain/fillChain.ts";
import type { Node } from "#test/bench/chain/startNode.ts";
import type { Workload } from "#test/bench/chain/workload.ts";
import type { Scope } from "#test/bench/createScope.ts";
import type { Delays } from "#test/bench/measure/measureDelays.ts";
import { type CatchUp, runCatchUp } from "#test/bench/measure/runCatchUp.ts";
import { runBareLive, runLive } from "#test/bench/measure/runLive.ts";
import { type RpcCounts, startCountingProxy } from "#test/bench/measure/startCountingProxy.ts";
import { type Floor, runFloor } from "#test/bench/reference/runFloor.ts";

/** Measures. Each method works once, on first call, and gives every figure the same answer. */
export type Lab = {
	/** Timed runs of the service from an empty database to the last row. */
	catchUps(): Promise<readonly CatchUp[]>;
	/** One more, through a counting proxy and with memory sampled: not for times. */
	observedCatchUp(): Promise<{ counts: RpcCounts; treePeakMb: number }>;
	/** Timed runs of the bare script. */
	floors(): Promise<readonly Floor[]>;
	live(): Promise<Delays>;
	bareLive(): Promise<Delays>;
};

export type LabOptions = {
	scope: Scope;
	workload: Workload;
	/** How often what is timed is repeated. */
	runs: number;
	/** Where the service's CPU profiles go; null for none. */
	profileDir: string | null;
	say(line: string): void;
};

export function createLab(options: LabOptions): Lab {
	const { scope, workload, runs, say } = options;
	const runtimeArgs =
		options.profileDir === null
			? []
			: ["--cpu-prof", "--cpu-prof-md", "--cpu-prof-dir", options.profileDir];
	const chain = once(async (): Promise<Node> => {
		say(`filling a chain of ${workload.blocks + 1} blocks`);
		const node = await fillChain(workload);
		scope.defer(node.stop);
		return node;
	});
	const catchUp = async (rpcUrl: string, sampleTree: boolean) =>
		runCatchUp({ scope, workload, rpcUrls: [rpcUrl], sampleTree, runtimeArgs });

	return {
		catchUps: once(async () => {
			const { url } = await chain();
			return repeat(runs, "catching up", say, () => catchUp(url, false));
		}),
		floors: once(async () => {
			const node = await chain();
			return repeat(runs, "running the floor", say, () => runFloor(scope, node, workload));
		}),
		observedCatchUp: once(async () => {
			const node = await chain();
			say("catching up, counted");
			const proxy = startCountingProxy(node.url);
			const stopProxy = scope.defer(proxy.stop);
			const { treePeakMb } = await catchUp(proxy.url, true);
			const counts = proxy.counts();
			await stopProxy();
			return { counts, treePeakMb };
		}),
		live: once(async () => {
			say("timing blocks to frames");
			return runLive({ scope, workload, runtimeArgs });
		}),
		bareLive: once(async () => {
			say("timing blocks to frames of the bare script");
			return runBareLive({ scope, workload, runtimeArgs: [] });
		}),
	};
}

function once<Result>(measure: () => Promise<Result>): () => Promise<Result> {
	let measured: Promise<Result> | null = null;
	return () => {
		measured ??= measure();
		return measured;
	};
}

async function repeat<Result>(
	times: number,
	what: string,
	say: (line: string) => void,
	measure: () => Promise<Result>,
): Promise<Result[]> {
	const results: Result[] = [];
	for (let run = 1; run <= times; run++) {
		say(`${what}, run ${run} of ${times}`);
		results.push(await measure());
	}
	return results;
}
