import { startEmbeddedServer } from "#core/db/embedded/startEmbeddedServer.ts";
import { silentLog } from "#core/log/silentLog.ts";
import { startNode } from "#test/bench/chain/startNode.ts";
import type { Scope } from "#test/bench/createScope.ts";
import { indexSizes } from "#test/bench/fill/indexSizes.ts";
import { cpuBillOf } from "#test/bench/measure/cpuBillOf.ts";
import { openDataDir } from "#test/bench/measure/openDataDir.ts";
import { openFilled } from "#test/bench/measure/openFilled.ts";
import {
	type PushingProvider,
	startPushingProvider,
} from "#test/bench/measure/startPushingProvider.ts";
import {
	type ServiceProcess,
	startServiceProcess,
} from "#test/bench/measure/startServiceProcess.ts";

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
