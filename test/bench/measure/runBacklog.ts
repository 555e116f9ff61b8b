import type { YoungChain } from "#test/bench/chain/startYoungChain.ts";
import { rowsPerBlock, type Workload } from "#test/bench/chain/workload.ts";
import { BENCH_CHAIN_ID } from "#test/bench/measure/assertComplete.ts";
import { type IndexProbe, openIndexProbe } from "#test/bench/measure/indexProbe.ts";
import { type Delays, measureDelays } from "#test/bench/measure/measureDelays.ts";
import {
	openYoungService,
	type YoungServiceOptions,
} from "#test/bench/measure/openYoungService.ts";
import type { ServiceProcess } from "#test/bench/measure/startServiceProcess.ts";
import { startBareHead } from "#test/bench/reference/startBareHead.ts";

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

const LANES = 2;

/**
 * More than a lane reads in order, and with its larger blocks enough to keep backfill busy while
 * blocks are timed. With three times as many blocks of the bench's usual size anvil would be
 * measured: at 3,000 blocks it takes 7.4 ms to mine one, at 1,000 a third of that.
 */
const BACKLOG_BLOCKS = 1_050;
const COLLECTIONS_PER_BLOCK = 3;
const BLOCKS_TIMED = 100;
const POLL_MS = 5;
const HEAD_ROWS_TIMEOUT_MS = 60_000;

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
		await Bun.sleep(POLL_MS);
	}
	throw new Error("the newest block's rows never came");
}
