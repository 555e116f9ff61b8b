// Measures how long the service takes to index a whole chain.

import { Client } from "pg";
import { socketUrl } from "#core/db/embedded/layout.ts";
import type { Node } from "#test/bench/chain/model.ts";
import { fillChain } from "#test/bench/chain/startNode.ts";
import { type Contents, contentsOf, WIDE_WORKLOAD } from "#test/bench/chain/workload.ts";
import { assertComplete, type IndexProbe, openIndexProbe } from "#test/bench/measure/indexProbe.ts";
import {
	type CpuBill,
	cpuBillOf,
	peakMemoryMb,
	treeMemoryMb,
} from "#test/bench/measure/processCost.ts";
import {
	type CountingProxy,
	type NodeLimits,
	type RpcCounts,
	startCountingProxy,
} from "#test/bench/measure/startCountingProxy.ts";
import {
	openDataDir,
	type Scope,
	startServiceProcess,
} from "#test/bench/measure/startServiceProcess.ts";

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

/** A catch-up with a node that is far away or limits, and what follows the last row. */
export type Remote = {
	catchUp: CatchUp;
	/** Calls until the last row was there. */
	toLastRow: RpcCounts;
	/** Calls until only the head was read: names, kinds, supplies. */
	toLastName: RpcCounts;
	/** From the lanes' start to the last of these calls. */
	lastNameSeconds: number;
};

export type RemoteOptions = {
	scope: Scope;
	contents: Contents;
	node: Node;
	limits: NodeLimits;
	runtimeArgs: readonly string[];
};

export type WideOptions = {
	scope: Scope;
	runtimeArgs: readonly string[];
	/** The index that has its rows already, with the time of its newest. */
	index: { socketDir: string; database: string; nowMs: number };
	say(line: string): void;
};

/** Rarely: on two cores each look takes time from what it looks at. */
const POLL_MS = 25;
const SAMPLE_MS = 200;
const CATCH_UP_TIMEOUT_MS = 120_000;

const LANES = 2;

/** Called for as long as the service runs: they do not mean that work is left. */
const OF_THE_HEAD = new Set(["eth_blockNumber", "eth_getBlockByNumber", "eth_chainId"]);
/** A refused call is repeated within this time. */
const QUIET_MS = 8_000;
const QUIET_TIMEOUT_MS = 180_000;
const LOOK_EVERY_MS = 50;

/** A proxy on this machine counts as a node of the operator's own, where calls cost nothing. */
const BILLED = { CHAIN_RPC_COMPUTE_UNITS_JSON: '{"*":1}' };

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

/** Catches up with a chain through a proxy that delays, limits and counts. */
export async function runRemote(options: RemoteOptions): Promise<Remote> {
	const { scope, node, limits, ...rest } = options;
	const proxy = startCountingProxy(node.url, limits);
	const stopProxy = scope.defer(proxy.stop);
	let toLastRow = proxy.counts();
	let lastNameSeconds = Number.NaN;
	const catchUp = await runCatchUp({
		...rest,
		scope,
		node,
		rpcUrls: [proxy.url],
		env: BILLED,
		sampleTree: false,
		async afterwards({ lanesAtMs }) {
			toLastRow = proxy.counts();
			lastNameSeconds = ((await untilQuiet(proxy)) - lanesAtMs) / 1_000;
		},
	});
	const toLastName = proxy.counts();
	await stopProxy();
	return { catchUp, toLastRow, toLastName, lastNameSeconds };
}

/** Measures a chain of many collections and slow blocks, indexed into many rows of other chains. */
export async function runWideCatchUp(options: WideOptions): Promise<CatchUp> {
	const { scope, runtimeArgs, index, say } = options;
	const workload = WIDE_WORKLOAD;
	await countOnFromFilled(socketUrl(index.socketDir, index.database));
	say("filling a wide chain");
	// The index's last hours: then the chain's rows share its months, and so its trees.
	const spanSeconds = workload.blocks * workload.blockSeconds;
	const genesisSeconds = Math.floor(index.nowMs / 1_000) - spanSeconds;
	const node = await fillChain(workload, { genesisSeconds });
	const stopNode = scope.defer(node.stop);
	say("catching up with the wide chain");
	const rpcUrls = [node.url];
	const on = { socketDir: index.socketDir, database: index.database };
	const contents = contentsOf(workload);
	const given = { scope, contents, node, rpcUrls, on, runtimeArgs };
	const wide = await runCatchUp({ ...given, sampleTree: false });
	await stopNode();
	return wide;
}

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

/** Waits until only the head is read; returns when the last other call came. */
async function untilQuiet(proxy: CountingProxy): Promise<number> {
	let seen = -1;
	let lastMs = Date.now();
	const deadlineMs = Date.now() + QUIET_TIMEOUT_MS;
	while (Date.now() < deadlineMs) {
		const asked = questionsIn(proxy.counts());
		const nowMs = Date.now();
		if (asked !== seen) lastMs = nowMs;
		if (nowMs - lastMs > QUIET_MS) return lastMs;
		seen = asked;
		await Bun.sleep(LOOK_EVERY_MS);
	}
	throw new Error("the service never stopped asking");
}

function questionsIn({ methods }: RpcCounts): number {
	return Object.entries(methods)
		.filter(([method]) => !OF_THE_HEAD.has(method))
		.reduce((sum, [, count]) => sum + count, 0);
}

/** Sets the sequence after the filled rows: the fill numbered its collections itself. */
async function countOnFromFilled(connectionString: string): Promise<void> {
	const client = new Client({ connectionString });
	await client.connect();
	await client.query(
		`select setval(pg_get_serial_sequence('market_index.collection', 'id'), max(id))
		from market_index.collection`,
	);
	await client.end();
}
