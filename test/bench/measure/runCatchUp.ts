import { socketUrl } from "#core/db/embedded/socketUrl.ts";
import type { Node } from "#test/bench/chain/startNode.ts";
import type { Contents } from "#test/bench/chain/workload.ts";
import type { Scope } from "#test/bench/createScope.ts";
import { assertComplete } from "#test/bench/measure/assertComplete.ts";
import { type CpuBill, cpuBillOf } from "#test/bench/measure/cpuBillOf.ts";
import { type IndexProbe, openIndexProbe } from "#test/bench/measure/indexProbe.ts";
import { peakMemoryMb, treeMemoryMb } from "#test/bench/measure/memoryOf.ts";
import { openDataDir } from "#test/bench/measure/openDataDir.ts";
import { startServiceProcess } from "#test/bench/measure/startServiceProcess.ts";

export type CatchUp = {
	rows: number;
	/** From the process's start to its first answer over HTTP. */
	servingSeconds: number;
	/** From the process's start to the last row. */
	processSeconds: number;
	/** From the moment the first lane took its lease to the last row. */
	laneSeconds: number;
	/** From the same moment to the first rows. */
	firstRowsSeconds: number;
	peakMb: number;
	/** Of the whole tree, sampled; not a number where it was not wanted. */
	treePeakMb: number;
	/** Used in `laneSeconds`. */
	cpu: CpuBill;
};

export type CatchUpOptions = {
	scope: Scope;
	/** The chain's content. */
	contents: Contents;
	node: Pick<Node, "pid">;
	rpcUrls: readonly string[];
	/** A running server, and its database; else a fresh one, removed afterwards. */
	on?: { socketDir: string; database: string };
	/** Adds up the memory of all processes while they work, which slows them. */
	sampleTree: boolean;
	runtimeArgs: readonly string[];
	/** Settings that only this service needs. */
	env?: Readonly<Record<string, string>>;
	/** Work that is watched after the last row, while the service still runs. */
	afterwards?: (times: { lanesAtMs: number }) => Promise<void>;
};

/** Rarely: on two cores each look takes time from what it looks at. */
const POLL_MS = 25;
const SAMPLE_MS = 200;
const CATCH_UP_TIMEOUT_MS = 120_000;

/** Starts the service on a database without the chain and waits until it has every row of it. */
export async function runCatchUp(options: CatchUpOptions): Promise<CatchUp> {
	const { scope, contents, node, rpcUrls, runtimeArgs, on, env = {} } = options;
	const data = await openDataDir(scope);
	const databaseUrl = on ? socketUrl(on.socketDir, on.database) : undefined;
	const settings = { rpcUrls, dataDir: data.path, databaseUrl, runtimeArgs, env };
	const service = startServiceProcess(settings);
	const stopService = scope.defer(service.stop);
	const probe = await Promise.race([
		openIndexProbe(on?.socketDir ?? data.socketDir, on?.database),
		service.failed,
	]);
	const closeProbe = scope.defer(probe.close);
	let treePeakMb = Number.NaN;
	const sampler = options.sampleTree
		? setInterval(() => {
				const roots = [service.pid, data.postmasterPid() ?? service.pid];
				treePeakMb = Math.max(treePeakMb || 0, treeMemoryMb(roots));
			}, SAMPLE_MS)
		: undefined;
	const bill = () =>
		cpuBillOf({ pid: service.pid, postmasterPid: data.postmasterPid(), nodePid: node.pid });
	const times = await Promise.race([watch(probe, contents.tip, bill), service.failed]);
	clearInterval(sampler);
	const lanesAtMs = times.startedAtMs;
	await Promise.race([options.afterwards?.({ lanesAtMs }), service.failed]);
	const peakMb = peakMemoryMb(service.pid);
	await assertComplete(probe, contents);
	await closeProbe();
	await stopService();
	await data.remove();
	return {
		rows: contents.mints + contents.sales,
		servingSeconds: await service.servingSeconds,
		processSeconds: (times.doneAtMs - service.startedAtMs) / 1_000,
		laneSeconds: (times.doneAtMs - times.startedAtMs) / 1_000,
		firstRowsSeconds: (times.firstRowsAtMs - times.startedAtMs) / 1_000,
		peakMb,
		treePeakMb,
		cpu: times.cpu,
	};
}

const LANES = 2;

async function watch(probe: IndexProbe, tip: number, bill: () => CpuBill) {
	const deadlineMs = performance.now() + CATCH_UP_TIMEOUT_MS;
	let startedAtMs = Number.NaN;
	let before = bill();
	let firstRowsAtMs = Number.NaN;
	while (performance.now() < deadlineMs) {
		const { lanesStarted, lanes } = await probe.progress();
		if (Number.isNaN(startedAtMs) && lanesStarted) {
			startedAtMs = Date.now();
			before = bill();
		}
		if (Number.isNaN(firstRowsAtMs) && lanes.length > 0) firstRowsAtMs = Date.now();
		if (lanes.length === LANES && lanes.every((block) => block >= tip)) {
			const doneAtMs = Date.now();
			return { startedAtMs, firstRowsAtMs, doneAtMs, cpu: billed(before, bill()) };
		}
		await Bun.sleep(POLL_MS);
	}
	throw new Error("the service did not catch up in time");
}

function billed(before: CpuBill, after: CpuBill): CpuBill {
	return {
		program: after.program - before.program,
		compiling: after.compiling - before.compiling,
		collecting: after.collecting - before.collecting,
		postgres: after.postgres - before.postgres,
		node: after.node - before.node,
	};
}
