// Measures a service that was away: shortly, and for long.

import type { Node } from "#test/bench/chain/model.ts";
import type { YoungChain } from "#test/bench/chain/startNode.ts";
import { rowsPerBlock, type Workload } from "#test/bench/chain/workload.ts";
import {
	BENCH_CHAIN_ID,
	type IndexProbe,
	openIndexProbe,
	untilCaughtUp,
} from "#test/bench/measure/indexProbe.ts";
import {
	type Delays,
	measureDelays,
	openYoungService,
	type YoungServiceOptions,
} from "#test/bench/measure/openYoungService.ts";
import {
	openDataDir,
	type Scope,
	type ServiceProcess,
	startServiceProcess,
} from "#test/bench/measure/startServiceProcess.ts";
import { startBareHead } from "#test/bench/reference/runFloor.ts";

/** How soon the newest block was there while history was missing. */
export type BehindStart = {
	blocksBehind: number;
	/** From the process's start until the newest block's rows are stored and HTTP answers. */
	headRowsSeconds: number;
	/** From the first lease of the new process to those rows. */
	lanesSeconds: number;
	servingSeconds: number;
};

export type Backlog = {
	start: BehindStart;
	delays: Delays;
	/** Of the bare script, which got the same blocks of the same node, as busy as it was. */
	bare: Delays;
	/** How much of the history was still missing when the last block was timed. */
	owedShare: number;
};

/** A start behind a resting head: the newest rows and the whole, of the same run. */
export type Behind = {
	/** From the lanes' start to all rows of the newest block. */
	headSeconds: number;
	/** From the same moment until nothing is owed. */
	wholeSeconds: number;
	/** Rows that were missing at the start. */
	rows: number;
};

export type BehindOptions = {
	scope: Scope;
	runtimeArgs: readonly string[];
	node: Pick<Node, "url" | "wsUrl" | "call">;
	/** Makes the blocks that the service is behind by, with these rows in all and in the last. */
	mine(): Promise<void>;
	rows: number;
	rowsAtTip: number;
};

const LANES = 2;

/**
 * More than a lane reads in order, and with its larger blocks enough to keep backfill busy while
 * blocks are timed. With three times as many blocks of the bench's usual size anvil would be
 * measured: at 3,000 blocks it takes 7.4 ms to mine one, at 1,000 a third of that.
 */
const BACKLOG_BLOCKS = 1_050;
const COLLECTIONS_PER_BLOCK = 3;
const BLOCKS_TIMED = 100;
const HEAD_POLL_MS = 5;
const HEAD_ROWS_TIMEOUT_MS = 60_000;

const WHOLE_POLL_MS = 10;
const WHOLE_TIMEOUT_MS = 240_000;

/** Stops a service at the head of a chain that goes on without it, and starts it again. */
export async function runBehind(options: BehindOptions): Promise<Behind> {
	const { scope, node, rows, rowsAtTip, runtimeArgs } = options;
	const data = await openDataDir(scope);
	const rpcUrls = [node.url, node.wsUrl];
	const start = () => {
		const service = startServiceProcess({ rpcUrls, dataDir: data.path, runtimeArgs });
		return { service, stop: scope.defer(service.stop) };
	};
	const first = start();
	await Promise.race([untilCaughtUp(node, data.socketDir), first.service.failed]);
	const leases = await leaseTokens(data.socketDir);
	await first.stop();
	await data.ended();
	await options.mine();
	const tip = Number(await node.call("eth_blockNumber"));
	const { service, stop } = start();
	const probe = await Promise.race([openIndexProbe(data.socketDir), service.failed]);
	const closeProbe = scope.defer(probe.close);
	const seconds = await Promise.race([watch(probe, { tip, leases, rowsAtTip }), service.failed]);
	await closeProbe();
	await stop();
	await data.remove();
	return { rows, ...seconds };
}

/**
 * Measures a service that was away for long: what it shows first, and how it serves while it
 * catches up.
 */
export async function runBacklog(options: YoungServiceOptions): Promise<Backlog> {
	const { scope } = options;
	const workload = { ...options.workload, collectionsPerBlock: COLLECTIONS_PER_BLOCK };
	const young = await openYoungService({ ...options, workload });
	const { chain, data } = young;
	const leasesBefore = await leaseTokens(data.socketDir);
	await young.service().stop();
	await data.ended();
	await chain.mine(BACKLOG_BLOCKS);
	const service = young.startAgain();
	const probe = await Promise.race([openIndexProbe(data.socketDir), service.failed]);
	const closeProbe = scope.defer(probe.close);
	const behind = watchStart({ chain, workload, service, probe, leasesBefore });
	const start = await Promise.race([behind, service.failed]);
	const bareHead = await startBareHead(scope, chain.node);
	const measured = measureDelays({
		scope,
		workload,
		node: chain.node,
		emitters: chain.emitters,
		streamUrls: [young.streamUrl(), bareHead.url],
		blocksCounted: BLOCKS_TIMED,
		goesOn: async () => (await probe.owed()) > 0,
	});
	const [delays, bare] = await Promise.race([measured, service.failed]);
	const owedShare = (await probe.owed()) / (BACKLOG_BLOCKS * LANES);
	await bareHead.stop();
	await closeProbe();
	await young.close();
	if (!delays || !bare) throw new Error("nothing was heard");
	return { start, delays, bare, owedShare };
}

async function watch(
	probe: IndexProbe,
	{ tip, leases, rowsAtTip }: { tip: number; leases: number; rowsAtTip: number },
): Promise<Pick<Behind, "headSeconds" | "wholeSeconds">> {
	let lanesAtMs = Number.NaN;
	let headAtMs = Number.NaN;
	const newest = { chainId: BENCH_CHAIN_ID, number: tip };
	const deadlineMs = Date.now() + WHOLE_TIMEOUT_MS;
	while (Date.now() < deadlineMs) {
		if (Number.isNaN(lanesAtMs) && (await probe.leaseTokens()) > leases) lanesAtMs = Date.now();
		const isHeadThere = !Number.isNaN(headAtMs);
		if (!isHeadThere && (await probe.rowsOf(newest)) === rowsAtTip) headAtMs = Date.now();
		const { lanes } = await probe.progress();
		const isLevel = lanes.length === LANES && lanes.every((block) => block >= tip);
		if (isHeadThere && isLevel && (await probe.owed()) === 0) {
			const since = (ms: number) => (ms - lanesAtMs) / 1_000;
			return { headSeconds: since(headAtMs), wholeSeconds: since(Date.now()) };
		}
		await Bun.sleep(WHOLE_POLL_MS);
	}
	throw new Error("what was behind the head never became whole");
}

async function leaseTokens(socketDir: string): Promise<number> {
	const probe = await openIndexProbe(socketDir);
	const tokens = await probe.leaseTokens();
	await probe.close();
	return tokens;
}

async function watchStart(options: {
	chain: YoungChain;
	workload: Workload;
	service: ServiceProcess;
	probe: IndexProbe;
	leasesBefore: number;
}): Promise<BehindStart> {
	const { chain, workload, service, probe, leasesBefore } = options;
	const newest = Number(await chain.node.call("eth_blockNumber"));
	const deadlineMs = Date.now() + HEAD_ROWS_TIMEOUT_MS;
	let lanesAtMs = Number.NaN;
	while (Date.now() < deadlineMs) {
		if (Number.isNaN(lanesAtMs) && (await probe.leaseTokens()) > leasesBefore) {
			lanesAtMs = Date.now();
		}
		const rows = await probe.rowsOf({ chainId: BENCH_CHAIN_ID, number: newest });
		if (rows === rowsPerBlock(workload)) {
			const rowsAtMs = Date.now();
			const servingSeconds = await service.servingSeconds;
			const rowsSeconds = (rowsAtMs - service.startedAtMs) / 1_000;
			return {
				blocksBehind: BACKLOG_BLOCKS,
				headRowsSeconds: Math.max(rowsSeconds, servingSeconds),
				lanesSeconds: (rowsAtMs - lanesAtMs) / 1_000,
				servingSeconds,
			};
		}
		await Bun.sleep(HEAD_POLL_MS);
	}
	throw new Error("the newest block's rows never came");
}
