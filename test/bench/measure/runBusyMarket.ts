// Measures searches, and thousands of pushes with reads meanwhile.

import { isDeepStrictEqual } from "node:util";
import { Client } from "pg";
import { z } from "zod";
import {
	type Cpu,
	type MarketServiceOptions,
	openMarketService,
} from "#test/bench/measure/openMarketService.ts";
import {
	PUSHED_PREFIX,
	PUSHED_PREFIX_END,
	type PushedCollection,
	type PushingProvider,
	pushFrames,
	type StoredPushes,
} from "#test/bench/measure/pushFrames.ts";
import { runScript } from "#test/bench/measure/runScript.ts";
import { runTurn } from "#test/bench/measure/runTurn.ts";
import type { Scope, ServiceProcess } from "#test/bench/measure/startServiceProcess.ts";
import { percentile } from "#test/bench/statistics.ts";

export type Burst = {
	/** From before the first push was sent to the commit of the last. */
	storedSeconds: number;
	/** The cost of that, reads included. */
	cpu: Cpu;
	/** Reads of the pushed collections' pages, over HTTP, until all was stored. */
	reads: ReadTimes;
	/** The same reads before it, with nothing pushed. */
	quietReads: ReadTimes;
};

export type BusyMarket = {
	burst: Burst;
	/** `cpu` is what one request took. */
	search: { requestsPerSecond: number; clients: number; cpu: Cpu };
};

type ReadTimes = { calls: number; p50Ms: number; p99Ms: number };

type Bursting = {
	url: string;
	provider: PushingProvider;
	db: Client;
	collections: readonly PushedCollection[];
	bill: () => Cpu;
	nowMs: number;
};

export const PUSHES = 5_000;

const JOINED_TIMEOUT_MS = 90_000;
const STORED_TIMEOUT_MS = 120_000;
const POLL_MS = 100;
const QUIET_MS = 6_000;
const READS = { inFlight: 4, warmMs: 0, perSecond: 50 } as const;

const SEARCH_CLIENTS = 8;

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

/** Pushes thousands of events at once to a listening service, and reads from it meanwhile. */
async function measureBurst(bursting: Bursting): Promise<Burst> {
	const { url, provider, db, collections, bill, nowMs } = bursting;
	const slugs = collections.map(({ slug }) => slug);
	const isJoined = () => provider.isJoined(slugs);
	await until(isJoined, JOINED_TIMEOUT_MS, () => "the stream was not joined");
	const ask = createReader(url, slugs);
	const quiet = await runTurn({ ...READS, countMs: QUIET_MS }, ask);
	const { frames, stored } = pushFrames(PUSHES, { collections, nowMs });
	const done = new AbortController();
	const clock = () => (done.signal.aborted ? Number.POSITIVE_INFINITY : performance.now());
	const reading = runTurn({ ...READS, countMs: STORED_TIMEOUT_MS, nowMs: clock }, ask);
	let last: StoredPushes | undefined;
	const isStored = async () => {
		last = await storedOf(db, slugs);
		return isDeepStrictEqual({ ...last }, stored);
	};
	const before = bill();
	const beganMs = performance.now();
	await provider.push(frames);
	await until(isStored, STORED_TIMEOUT_MS, () => {
		return `of ${JSON.stringify(stored)} only ${JSON.stringify(last)} was stored`;
	});
	const storedSeconds = (performance.now() - beganMs) / 1_000;
	const after = bill();
	done.abort();
	const { delaysMs } = await reading;
	return {
		storedSeconds,
		cpu: {
			service: after.service - before.service,
			postgres: after.postgres - before.postgres,
		},
		reads: timesOf(delaysMs),
		quietReads: timesOf(quiet.delaysMs),
	};
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

/** Returns typed texts, letter by letter, whole names and slugs: all of it is in the index. */
function searches(): string[] {
	const words = ["c", "co", "coll", "collection", "Collection 7", "collection-12"];
	const names = Array.from({ length: 50 }, (_, number) => `collection ${1 + number * 37}`);
	return [...words, ...names];
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

async function until(
	condition: () => boolean | Promise<boolean>,
	timeoutMs: number,
	problem: () => string,
): Promise<void> {
	const deadlineMs = performance.now() + timeoutMs;
	while (!(await condition())) {
		if (performance.now() > deadlineMs) throw new Error(problem());
		await Bun.sleep(POLL_MS);
	}
}

/**
 * Makes a reader of details, books and activity of these collections, in turn; each by another
 * client.
 */
function createReader(url: string, slugs: readonly string[]): () => Promise<void> {
	const paths = slugs.flatMap((slug) => {
		const path = `/v1/nft-market/collections/${slug}`;
		return [path, `${path}/listings`, `${path}/activity`];
	});
	let next = 0;
	return async () => {
		const turn = next++;
		const response = await fetch(`${url}${paths[turn % paths.length]}?chain=anvil`, {
			headers: { "x-forwarded-for": `10.7.${(turn >> 8) & 255}.${turn & 255}` },
		});
		await response.arrayBuffer();
		if (response.status !== 200) throw new Error(`${response.url}: ${response.status}`);
	};
}

/** Counts by the primary key of orders, so that it costs the server little. */
async function storedOf(db: Client, slugs: readonly string[]): Promise<StoredPushes | undefined> {
	const { rows } = await db.query<StoredPushes>({
		name: "stored",
		text: `select count(*)::int4 as orders, (count(*) filter (where is_active))::int4 as active,
				(select count(*)::int4 from market_index.unconfirmed) as events
			from market_index.sync as s join market_index.market_order as o using (collection_id)
			where s.provider_slug = any($1) and o.order_hash >= $2 and o.order_hash < $3`,
		values: [slugs, Buffer.from(PUSHED_PREFIX, "hex"), Buffer.from(PUSHED_PREFIX_END, "hex")],
	});
	return rows[0];
}

function timesOf(delaysMs: readonly number[]): ReadTimes {
	return {
		calls: delaysMs.length,
		p50Ms: percentile(delaysMs, 50),
		p99Ms: percentile(delaysMs, 99),
	};
}
