import { Client } from "pg";
import { z } from "zod";
import type { Scope } from "#test/bench/createScope.ts";
import { type Burst, measureBurst } from "#test/bench/measure/measureBurst.ts";
import {
	type Cpu,
	type MarketServiceOptions,
	openMarketService,
} from "#test/bench/measure/openMarketService.ts";
import type { PushedCollection } from "#test/bench/measure/pushFrames.ts";
import { runScript } from "#test/bench/measure/runScript.ts";
import type { ServiceProcess } from "#test/bench/measure/startServiceProcess.ts";

export type BusyMarket = {
	burst: Burst;
	/** `cpu` is what one request took. */
	search: { requestsPerSecond: number; clients: number; cpu: Cpu };
};

export const SEARCH_CLIENTS = 8;

/** Collections that are pushed about; half of all pushes are of the first. */
const PUSHED_ABOUT = 50;
const SEARCH_WARM_SECONDS = 2;
const SEARCH_COUNT_SECONDS = 5;

const searched = z.object({
	answers: z.number().min(1),
	refused: z.literal(0),
	seconds: z.number(),
});

/**
 * Measures the service on an index with full tables of the provider's: searched by a few clients
 * while its stream is joined, then read by others while the provider pushes all it has at once.
 */
export async function runBusyMarket(options: MarketServiceOptions): Promise<BusyMarket> {
	const { scope } = options;
	const market = await openMarketService("busy", options);
	const { service, provider, bill } = market;
	const db = new Client({ connectionString: market.connectionString });
	await db.connect();
	const closeDb = scope.defer(() => db.end());
	const search = await Promise.race([measureSearch(scope, { service, bill }), service.failed]);
	const collections = await mostActive(db);
	const given = { url: service.url, provider, db, collections, bill, nowMs: Date.now() };
	const burst = await Promise.race([measureBurst(given), service.failed]);
	await closeDb();
	await market.close();
	return { burst, search };
}

/** Returns typed texts, letter by letter, whole names and slugs: all of it is in the index. */
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
