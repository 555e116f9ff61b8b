import { Client } from "pg";
import { socketUrl } from "#core/db/embedded/socketUrl.ts";
import type { Node } from "#test/bench/chain/startNode.ts";
import type { Scope } from "#test/bench/createScope.ts";
import type { NodeLimits } from "#test/bench/measure/nodeLimits.ts";
import { startCountingProxy } from "#test/bench/measure/startCountingProxy.ts";
import { differencesOf } from "#test/bench/peers/differencesOf.ts";
import { treeCpuSeconds, watchPeakMemory } from "#test/bench/peers/processTree.ts";
import type { ChainFacts } from "#test/bench/peers/readChain.ts";
import type { PeerProcess } from "#test/bench/peers/startPeerProcess.ts";

/** The cost of reading a whole chain, from the process's start to the last row. */
export type Measured = {
	title: string;
	seconds: number;
	rowsPerSecond: number;
	/** The processes' own, and PostgreSQL's; the node's and the proxy's are in neither. */
	cpuSeconds: number;
	postgresCpuSeconds: number;
	requests: number;
	calls: number;
	refused: number;
	peakMb: number;
};

export type IndexerPlace = { rpcUrl: string; socketDir: string; database: string };

export type Indexer = {
	name: string;
	title: string;
	doneSql: string;
	figuresSql: string;
	/** Returns a function that starts the process; the work before that is not timed. */
	prepare(place: IndexerPlace): Promise<() => PeerProcess>;
};

export type IndexerServer = { socketDir: string; postmasterPid(): number | undefined };

const POLL_MS = 25;
const TIMEOUT_MS = 400_000;

/**
 * Lets one indexer read the chain into a database of its own, through a counting proxy, and returns
 * the cost. Throws where it ends, is too late, or its rows differ from the chain's.
 */
export async function measureIndexer(
	scope: Scope,
	given: {
		indexer: Indexer;
		node: Node;
		chain: ChainFacts;
		limits: NodeLimits;
		server: IndexerServer;
	},
): Promise<Measured> {
	const { indexer, node, chain, limits, server } = given;
	const { socketDir } = server;
	const database = `bench_${indexer.name.replaceAll("-", "_")}`;
	await statement(socketDir, `drop database if exists ${database} with (force)`);
	await statement(socketDir, `create database ${database}`);
	const proxy = startCountingProxy(node.url, limits);
	const stopProxy = scope.defer(proxy.stop);
	const start = await indexer.prepare({ rpcUrl: proxy.url, socketDir, database });
	const client = new Client({ connectionString: socketUrl(socketDir, database) });
	client.on("error", () => {});
	await client.connect();
	const closeClient = scope.defer(() => client.end());
	const postgresCpu = () => treeCpuSeconds(server.postmasterPid() ?? 0);
	const postgresBefore = postgresCpu();
	const child = start();
	const stopChild = scope.defer(child.stop);
	const memory = watchPeakMemory(child.pid);
	try {
		await Promise.race([untilDone(client, indexer.doneSql, chain), child.failed]);
		const seconds = (Date.now() - child.startedAtMs) / 1_000;
		const cpuSeconds = treeCpuSeconds(child.pid);
		const postgresCpuSeconds = postgresCpu() - postgresBefore;
		const { requests, calls, refused } = proxy.counts();
		const { rows } = await client.query(indexer.figuresSql);
		const differences = differencesOf(rows[0] ?? {}, chain.figures);
		if (differences.length > 0) throw new Error(`it is not right: ${differences.join("; ")}`);
		return {
			...{ title: indexer.title, seconds, rowsPerSecond: chain.rows / seconds },
			...{ cpuSeconds, postgresCpuSeconds, requests, calls, refused },
			peakMb: memory.stop(),
		};
	} finally {
		memory.stop();
		await stopChild();
		await closeClient();
		await stopProxy();
		await statement(socketDir, `drop database ${database} with (force)`);
	}
}

async function untilDone(client: Client, doneSql: string, chain: ChainFacts): Promise<void> {
	const deadlineMs = performance.now() + TIMEOUT_MS;
	while (performance.now() < deadlineMs) {
		// Tables come late: until then there is nothing to count.
		const found = await client.query(doneSql, [chain.tip, chain.rows]).catch(() => null);
		if (found?.rows[0]?.done === true) return;
		await Bun.sleep(POLL_MS);
	}
	throw new Error(`it had not read the chain after ${TIMEOUT_MS / 1_000} s`);
}

async function statement(socketDir: string, text: string): Promise<void> {
	const client = new Client({ connectionString: socketUrl(socketDir) });
	await client.connect();
	await client.query(text).finally(() => client.end());
}
