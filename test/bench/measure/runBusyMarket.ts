import { Client } from "pg";
import { z } from "zod";
import { startEmbeddedServer } from "#core/db/embedded/startEmbeddedServer.ts";
import { silentLog } from "#core/log/silentLog.ts";
import { startNode } from "#test/bench/chain/startNode.ts";
import type { Scope } from "#test/bench/createScope.ts";
import { indexSizes } from "#test/bench/fill/indexSizes.ts";
import { cpuBillOf } from "#test/bench/measure/cpuBillOf.ts";
import { type Burst, measureBurst } from "#test/bench/measure/measureBurst.ts";
import { openDataDir } from "#test/bench/measure/openDataDir.ts";
import { openFilled } from "#test/bench/measure/openFilled.ts";
import type { PushedCollection } from "#test/bench/measure/pushFrames.ts";
import { runScript } from "#test/bench/measure/runScript.ts";
import { startPushingProvider } from "#test/bench/measure/startPushingProvider.ts";
import {
	type ServiceProcess,
	startServiceProcess,
} from "#test/bench/measure/startServiceProcess.ts";

export type BusyMarket = {
	burst: Burst;
	/** `cpu` is what one request took. */
	search: { requestsPerSecond: number; clients: number; cpu: Cpu };
};

/** Seconds of the processor, by who used them. */
export type Cpu = { service: number; postgres: number };

export const SEARCH_CLIENTS = 8;

const ANVIL_CHAIN_ID = 31_337;
/** Collections that are pushed about; half of all pushes are of the first. */
const PUSHED_ABOUT = 50;
const BLOCKS = 64;
const SEARCH_WARM_SECONDS = 2;
const SEARCH_COUNT_SECONDS = 5;

const searched = z.object({
	answers: z.number().min(1),
	refused: z.literal(0),
	seconds: z.number(),
});

/**
 * The service on an index with full tables of the provider's: searched by a few clients while its
 * stream is joined, then read by others while the provider pushes all it has at once.
 */
export async function runBusyMarket(options: {
	scope: Scope;
	runtimeArgs: readonly string[];
	say(line: string): void;
}): Promise<BusyMarket> {
	const { scope, runtimeArgs, say } = options;
	const data = await openDataDir(scope);
	const server = await startEmbeddedServer({ dataDir: data.path, log: silentLog });
	const stopServer = scope.defer(server.close);
	const nowMs = Date.now();
	const fill = { ...indexSizes.small, nowMs, chainIds: [ANVIL_CHAIN_ID, ANVIL_CHAIN_ID] as const };
	const index = await openFilled(scope, { server, name: "busy", fill, say });
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
	const db = new Client({ connectionString: index.connectionString });
	await db.connect();
	const closeDb = scope.defer(() => db.end());
	await service.servingSeconds;
	const bill = (): Cpu => {
		const { pid } = service;
		const { program, compiling, collecting, postgres } = cpuBillOf({
			pid,
			postmasterPid: data.postmasterPid(),
			nodePid: node.pid,
		});
		return { service: program + compiling + collecting, postgres };
	};
	const search = await Promise.race([measureSearch(scope, { service, bill }), service.failed]);
	const collections = await mostActive(db);
	const given = { url: service.url, provider, db, collections, bill, nowMs: Date.now() };
	const burst = await Promise.race([measureBurst(given), service.failed]);
	await closeDb();
	await stopService();
	await own.remove();
	await provider.stop();
	await stopNode();
	await index.close();
	await stopServer();
	await data.remove();
	return { burst, search };
}

/** What somebody types, letter by letter, whole names and slugs: all of it is in the index. */
function searches(): string[] {
	const words = ["c", "co", "coll", "collection", "Collection 7", "collection-12"];
	const names = Array.from({ length: 50 }, (_, number) => `collection ${1 + number * 37}`);
	return [...words, ...names];
}

async function measureSearch(
	scope: Scope,
	{ service, bill }: { service: ServiceProcess; bill: () => Cpu },
): Promise<BusyMarket["search"]> {
	const targets = searches().map(
		(text) => `${service.url}/v1/nft-market/search?chain=anvil&q=${encodeURIComponent(text)}`,
	);
	const args = [targets.join(" "), SEARCH_CLIENTS, SEARCH_WARM_SECONDS, SEARCH_COUNT_SECONDS];
	const loading = runScript(scope, {
		script: "reference/requestLoad.ts",
		args: args.map(String),
		told: searched,
	});
	await Bun.sleep(SEARCH_WARM_SECONDS * 1_000);
	const before = bill();
	const beganMs = performance.now();
	await Bun.sleep((SEARCH_COUNT_SECONDS - 1) * 1_000);
	const after = bill();
	const sampledSeconds = (performance.now() - beganMs) / 1_000;
	const { answers, seconds } = await loading;
	const requestsPerSecond = answers / seconds;
	const requests = requestsPerSecond * sampledSeconds;
	const cpu = {
		service: (after.service - before.service) / requests,
		postgres: (after.postgres - before.postgres) / requests,
	};
	return { requestsPerSecond, clients: SEARCH_CLIENTS, cpu };
}

async function mostActive(db: Client): Promise<PushedCollection[]> {
	const { rows } = await db.query<PushedCollection>(
		`select s.provider_slug as slug, '0x' || encode(c.address, 'hex') as address
		from market_index.sync as s join market_index.collection as c on c.id = s.collection_id
		where s.provider_slug is not null order by c.last_sale_at desc nulls last, c.id limit $1`,
		[PUSHED_ABOUT],
	);
	return rows;
}
