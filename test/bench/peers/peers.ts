import type { Node } from "#test/bench/chain/model.ts";
// Measures other programs and prints the results. `bun run peers --help` lists the options.

import { homedir, loadavg } from "node:os";
import { join } from "node:path";
import { startEmbeddedServer } from "#core/db/embedded/startEmbeddedServer.ts";
import { silentLog } from "#core/log.ts";
import { fillChain } from "#test/bench/chain/startNode.ts";
import { contentsOf, rowsPerBlock, WORKLOAD } from "#test/bench/chain/workload.ts";
import { startCountingProxy } from "#test/bench/measure/startCountingProxy.ts";
import { createScope, openDataDir } from "#test/bench/measure/startServiceProcess.ts";
import {
	type ChainFacts,
	type Indexer,
	type IndexerServer,
	measureIndexer,
	readChain,
	tapelineIndexer,
} from "#test/bench/peers/measureIndexer.ts";
import {
	PEERS_USAGE,
	type PeerRow,
	parsePeerOptions,
	renderPeers,
} from "#test/bench/peers/parsePeerOptions.ts";
import { type Peer, peerList } from "#test/bench/peers/peerList.ts";
import { installPeer, runStep, startPeerProcess } from "#test/bench/peers/startPeerProcess.ts";
import { runFloor } from "#test/bench/reference/runFloor.ts";

const EXIT_FAILED = 1;
const EXIT_USAGE = 2;
const EXIT_INTERRUPTED = 130;
const BUILD_TIMEOUT_MS = 600_000;
/** Not below the project, whose packages would be found by theirs. */
const CACHE_DIR = join(homedir(), ".cache/tapeline-bench-peers");

const options = parsePeerOptions(
	process.argv.slice(2),
	peerList.map(({ name }) => name),
	peerList.filter(({ canBeMetered }) => canBeMetered).map(({ name }) => name),
);
if (options.kind !== "run") {
	process.stderr.write(
		`${options.kind === "wrong" ? `${options.problem}\n\n` : ""}${PEERS_USAGE}\n`,
	);
	for (const { name, title } of peerList) process.stderr.write(`  ${name.padEnd(18)}${title}\n`);
	process.exit(options.kind === "help" ? 0 : EXIT_USAGE);
}
const { only, limits, json } = options;
const scope = createScope();
const failures: string[] = [];
const rows: PeerRow[] = [];
let interrupted = false;
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
	process.on(signal, async () => {
		if (interrupted) process.exit(EXIT_INTERRUPTED);
		interrupted = true;
		// What was measured until then took minutes, and is worth printing.
		print();
		await scope.close();
		process.exit(EXIT_INTERRUPTED);
	});
}
const say = (line: string) => void process.stderr.write(`… ${line}\n`);
const workload = { ...WORKLOAD, blocks: Math.ceil(options.rows / rowsPerBlock(WORKLOAD)) };

say(`filling a chain of ${workload.blocks + 1} blocks`);
const node = await fillChain(workload);
scope.defer(node.stop);
const chain = await readChain(node);
const server = await startServer();
const tapeline = (title: string) => tapelineIndexer(scope, title);

if (limits.callsPerSecond === undefined) await attempt("the floor", () => floorRow(node));
await measured(tapeline("Tapeline"));
for (const peer of peerList.filter(({ name }) => only.includes(name))) {
	const indexer = await attempt(peer.name, () => indexerOf(peer, chain));
	if (indexer) await measured(indexer);
}
await measured(tapeline("Tapeline, again"));
print();
await scope.close();
process.exit(failures.length === 0 ? 0 : EXIT_FAILED);

function print(): void {
	const ours = rows.filter(({ title }) => title.startsWith("Tapeline"));
	const mean = ours.reduce((sum, row) => sum + row.rowsPerSecond, 0) / ours.length;
	if (json) for (const row of rows) process.stdout.write(`${JSON.stringify(row)}\n`);
	else process.stdout.write(`${renderPeers(rows, mean)}\n`);
	for (const failure of failures) process.stderr.write(`not measured: ${failure}\n`);
}

/** Runs a measurement; a failure is printed with its reason, and does not stop the others. */
async function attempt<Result>(name: string, act: () => Promise<Result>): Promise<Result | null> {
	// Other work on the machine is the first thing to check about a rate.
	say(`${name} (programs that wanted to run in the last minute: ${loadavg()[0]?.toFixed(1)})`);
	try {
		return await act();
	} catch (error) {
		if (interrupted) await new Promise(() => {});
		failures.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
		return null;
	}
}

async function measured(indexer: Indexer): Promise<void> {
	const given = { indexer, node, chain, limits, server };
	const row = await attempt(indexer.title, () => measureIndexer(scope, given));
	if (row) rows.push(row);
}

async function indexerOf(peer: Peer, chain: ChainFacts): Promise<Indexer> {
	const folder = await installPeer(peer.project, CACHE_DIR);
	return {
		...peer,
		async prepare(place) {
			const world = { ...place, folder, chain };
			if (peer.build) await runStep(peer.build(world), BUILD_TIMEOUT_MS);
			return () => startPeerProcess(peer.command(world), join(folder, "bench.log"));
		},
	};
}

/**
 * Measures the bare script, which has a server of its own; its clock begins with its first request.
 */
async function floorRow(node: Node): Promise<void> {
	const proxy = startCountingProxy(node.url, limits);
	const stopProxy = scope.defer(proxy.stop);
	const {
		seconds,
		cpuSeconds,
		requests,
		calls,
		rows: read,
	} = await runFloor(scope, { ...node, url: proxy.url }, contentsOf(workload));
	await stopProxy();
	const title = "bare floor, from its first request";
	rows.push({ title, rowsPerSecond: read / seconds, seconds, cpuSeconds, requests, calls });
}

/**
 * Starts one server for all, with a database for each, so that no time includes a server's start.
 */
async function startServer(): Promise<IndexerServer> {
	const data = await openDataDir(scope);
	const starting = startEmbeddedServer({ dataDir: data.path, log: silentLog });
	scope.defer(async () => (await starting).close());
	await starting;
	return { socketDir: data.socketDir, postmasterPid: data.postmasterPid };
}
