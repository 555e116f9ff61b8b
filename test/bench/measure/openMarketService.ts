// Opens the service over a filled index, with its routes to call.

import { Elysia } from "elysia";
import { Client } from "pg";
import { builtinChains } from "#core/chain/builtinChains.ts";
import { createChainRegistry } from "#core/chain/Chain.ts";
import type { Database } from "#core/db/Database.ts";
import { startEmbeddedServer } from "#core/db/embedded/startEmbeddedServer.ts";
import { migrate } from "#core/db/migrate.ts";
import { openDatabase } from "#core/db/openDatabase.ts";
import { silentLog } from "#core/log.ts";
import { LIST_KEPT_MS } from "#plugins/market-index/discovery/providerLists.ts";
import { readList } from "#plugins/market-index/discovery/sql.ts";
import { createFinder, type IndexReads } from "#plugins/market-index/read/context.ts";
import { marketRoutes } from "#plugins/market-index/routes/marketRoutes.ts";
import { startNode } from "#test/bench/chain/startNode.ts";
import { fillIndex, indexSizes, MIGRATIONS } from "#test/bench/fill/fillIndex.ts";
import type { FillOptions } from "#test/bench/fill/fillMonth.ts";
import { cpuBillOf } from "#test/bench/measure/processCost.ts";
import { type PushingProvider, startPushingProvider } from "#test/bench/measure/pushFrames.ts";
import {
	openDataDir,
	type Scope,
	type ServiceProcess,
	startServiceProcess,
} from "#test/bench/measure/startServiceProcess.ts";
import { fakePrices } from "#test/harness/fakes.ts";

export type FilledIndex = {
	connectionString: string;
	/** The market's routes over it. */
	ask: Ask;
	close(): Promise<void>;
};

export type MarketServiceOptions = {
	scope: Scope;
	runtimeArgs: readonly string[];
	say(line: string): void;
};

/** Seconds of the processor, by what used them. */
export type Cpu = { service: number; postgres: number };

export type MarketService = {
	service: ServiceProcess;
	provider: PushingProvider;
	/** The index's database. */
	connectionString: string;
	/** Returns what service and PostgreSQL have used so far. */
	bill(): Cpu;
	close(): Promise<void>;
};

export type Ask = (path: string) => Promise<string>;

/** A page cache that builds the page for every call, so that the reading is measured. */
const noPageCache: IndexReads["pageCache"] = {
	get: async (_key, rebuild) => ({ outcome: "miss", body: await rebuild() }),
	clear() {},
};

const CONNECTIONS_MAX = 10;

const ANVIL_CHAIN_ID = 31_337;
const BLOCKS = 64;

/**
 * Opens the service on an index of its own with full tables of the provider's, and a resting node.
 */
export async function openMarketService(
	name: string,
	{ scope, runtimeArgs, say }: MarketServiceOptions,
): Promise<MarketService> {
	const data = await openDataDir(scope);
	const server = await startEmbeddedServer({ dataDir: data.path, log: silentLog });
	const stopServer = scope.defer(server.close);
	const nowMs = Date.now();
	const fill = { ...indexSizes.small, nowMs, chainIds: [ANVIL_CHAIN_ID, ANVIL_CHAIN_ID] as const };
	const index = await openFilled(scope, { server, name, fill, say });
	const node = await startNode({ genesisSeconds: Math.floor(nowMs / 1_000) - BLOCKS });
	const stopNode = scope.defer(node.stop);
	await node.call("anvil_mine", [BLOCKS]);
	const provider = startPushingProvider(scope);
	const own = await openDataDir(scope);
	const service = startServiceProcess({
		rpcUrls: [node.url, node.wsUrl],
		dataDir: own.path,
		databaseUrl: index.connectionString,
		runtimeArgs,
		env: provider.env,
	});
	const stopService = scope.defer(service.stop);
	await service.servingSeconds;
	return {
		service,
		provider,
		connectionString: index.connectionString,
		bill() {
			const { program, compiling, collecting, postgres } = cpuBillOf({
				pid: service.pid,
				postmasterPid: data.postmasterPid(),
				nodePid: node.pid,
			});
			return { service: program + compiling + collecting, postgres };
		},
		async close() {
			await stopService();
			await own.remove();
			await provider.stop();
			await stopNode();
			await index.close();
			await stopServer();
			await data.remove();
		},
	};
}

/** Opens a database of its own on a server, filled, and read through the routes. */
export async function openFilled(
	scope: Scope,
	options: {
		server: { connectionString: string };
		name: string;
		fill: FillOptions;
		say(line: string): void;
	},
): Promise<FilledIndex> {
	const { server, name, fill, say } = options;
	const admin = new Client({ connectionString: server.connectionString });
	await admin.connect();
	await admin.query(`create database ${name}`);
	await admin.end();
	// Not by `URL`: it refuses the form without a host, which means a socket.
	const connectionString = server.connectionString.replace(/(\/\/[^/]*\/)[^?]*/, `$1${name}`);
	await migrate(connectionString, MIGRATIONS, silentLog);
	const beganMs = performance.now();
	await fillIndex(connectionString, fill);
	const seconds = ((performance.now() - beganMs) / 1_000).toFixed(0);
	say(`filled an index of ${fill.events} events in ${seconds} s`);
	const db = openDatabase({
		connectionString,
		connectionsMax: CONNECTIONS_MAX,
		applicationName: "tapeline bench",
		log: silentLog,
	});
	return { connectionString, ask: createReads(db, fill), close: scope.defer(() => db.close()) };
}

/**
 * Makes the market's routes over a database at a fixed moment, without a page cache and without a
 * socket: routing, checking, reading and rendering are included, and the network's own time is not.
 * A socket would add the same to both sizes and so make their ratio look better.
 */
export function createReads(
	db: Database,
	options: { nowMs: number; chainIds: readonly number[] },
): (path: string) => Promise<string> {
	const chains = createChainRegistry(builtinChains);
	const indexed = options.chainIds.flatMap((id) => {
		const chain = chains.byId(id);
		return chain ? [{ chain }] : [];
	});
	const clock = { nowMs: () => options.nowMs };
	const core: IndexReads = { db, clock, chains, indexed, pageCache: noPageCache };
	const covered = { coveredFromMs: 0, coveredUntilMs: options.nowMs, owes: false };
	const level = { headBlock: 1, indexedBlock: 1, indexedAtMs: options.nowMs, ...covered };
	const scanner: Parameters<typeof marketRoutes>[0]["scanner"] = {
		progress: async (chainId, lane) => ({ ...level, chainId, lane }),
	};
	const app = new Elysia().use(
		marketRoutes({
			core,
			scanner,
			index: { find: createFinder(core), touch() {} },
			resync: async () => null,
			providerHealth: () => ({ isOn: false, isConnected: null, stream: "off" }),
			prices: fakePrices(),
			lists: {
				async listFor({ chain, mode }) {
					const key = { chainId: chain.id, mode, by: "worker" } as const;
					const kept = { nowMs: options.nowMs, maxAgeMs: LIST_KEPT_MS };
					const list = await readList(db, key, kept);
					return list && { ...list, isWarm: true };
				},
				complete: async () => {},
				search: async () => [],
				found: async () => {},
			},
			lookUps: {
				transaction: async () => ({ kind: "none" }) as const,
				name: async () => ({ kind: "none" }) as const,
			},
			gasPrice: async () => null,
		}),
	);
	return async (path) => {
		const response = await app.handle(new Request(`http://localhost/v1/nft-market${path}`));
		const body = await response.text();
		if (response.status !== 200) throw new Error(`${path}: ${response.status} ${body}`);
		return body;
	};
}
