// Opens the whole service on a sandbox chain without traffic.

import type { Hex } from "viem";
import { systemClock } from "#core/clock.ts";
import type { Database } from "#core/db/Database.ts";
import type { Log } from "#core/log.ts";
import {
	holdJobs,
	runHeld,
	startTestService,
	type TestServiceOptions,
} from "#test/harness/startTestService.ts";
import { until } from "#test/harness/until.ts";
import type { ProviderEmulator } from "#test/sandbox/provider/startProviderEmulator.ts";
import { openLab } from "#test/sandbox/provider/testing/openLab.ts";

type Env = Record<string, string>;

export type MarketLabOptions = {
	/**
	 * The provider's slugs of the collections that remain, there and in the index: each one costs
	 * calls, of which there are four a second.
	 */
	only?: readonly string[];
	historyBlocks?: number;
	/** The block to scan from; default: the whole history. */
	scanFrom?: number;
	/** Starts a proxy between the service and the chain, given the chain's URL; returns its URL. */
	through?: (rpcUrl: string) => Promise<string>;
	/** Wraps the service's provider. */
	behind?: (provider: ProviderEmulator) => Pick<ProviderEmulator, "url" | "streamUrl">;
	log?: Log;
	env?: Env;
};

/** Scheduled jobs that call the provider: here they run only when a test runs them. */
const HELD = ["discovery", "full-sync", "lean-sync", "drops"].map((job) => `market-index.${job}`);

/**
 * Opens the whole service on a sandbox chain without traffic, with its marketplace provider.
 *
 * Nothing in it waits for a minute to pass: a scheduled job runs when the test says so, delayed
 * tasks of the queue are due at once, and the service's clock can be set forward.
 */
export async function openMarketLab(options: MarketLabOptions = {}) {
	const world = await openLab(options.historyBlocks ?? 40);
	const { sandbox, emulator } = world;
	let aheadMs = 0;
	const nowMs = () => systemClock.nowMs() + aheadMs;
	const chain = options.through
		? { url: await options.through(sandbox.httpUrl) }
		: { url: sandbox.httpUrl, wsUrl: sandbox.wsUrl };
	const start = (
		provider: Pick<ProviderEmulator, "url" | "streamUrl">,
		rest: TestServiceOptions = {},
	) =>
		startTestService({
			chain,
			scanFrom: options.scanFrom ?? sandbox.firstBlock,
			clock: { nowMs },
			...(options.log && { log: options.log }),
			...rest,
			env: {
				PROVIDER_BASE_URL: provider.url,
				PROVIDER_STREAM_URL: provider.streamUrl,
				USD_FEEDS_JSON: JSON.stringify(sandbox.usdFeeds),
				...options.env,
				...rest.env,
			},
		});
	const service = await start(options.behind?.(emulator) ?? emulator);
	const services = [service];
	const { db } = service.core;
	holdJobs(service.host.jobs, HELD);
	const caughtUp = async (): Promise<void> => {
		await emulator.sync();
		await service.indexed(Number(await world.rpc.call("eth_blockNumber", [])));
	};
	await caughtUp();
	keepOnly(emulator);
	await db.execute(
		`update market_index.collection set excluded = true
		where not ('0x' || encode(address, 'hex') = any($1::text[]))`,
		[[...emulator.market().byAddress.keys()]],
	);
	function keepOnly(provider: ProviderEmulator): void {
		const { collections, byAddress } = provider.market();
		for (const [slug, { facts }] of collections) {
			if (options.only?.includes(slug) ?? true) continue;
			collections.delete(slug);
			byAddress.delete(facts.address);
		}
	}
	/** Returns the contract of a collection of the provider. */
	function addressOf(slug: string): Hex {
		const collection = emulator.market().collections.get(slug);
		if (!collection) throw new Error(`the provider has no ${slug}`);
		return collection.facts.address;
	}

	return {
		...world,
		service,
		/** Returns an answer; throws unless it is a 200. */
		async read(path: string): Promise<any> {
			const { status, body } = await service.get(`/v1/nft-market${path}`);
			if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`);
			return body;
		},
		/** Returns the provider's own answer to the same question. */
		async provider(path: string): Promise<any> {
			const { status, body } = await world.get(path);
			if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`);
			return body;
		},
		/** Runs a scheduled job once, now. */
		async runJob(name: string): Promise<void> {
			const job = service.host.jobs.find((one) => one.name === `market-index.${name}`);
			if (!job) throw new Error(`there is no job ${name}`);
			await runHeld(job);
		},
		/**
		 * Waits until the queue has done all its work, including delayed tasks. A task that by the
		 * service's clock still must wait long, after three tries, is left: a test that wants it done
		 * moves the clock itself. If this moved the clock, the test's own news would become old.
		 */
		async drainQueue(): Promise<void> {
			const putOff = new Map<string, number>();
			const resting = new Set<string>();
			let left: string[] = [];
			await until(
				async () => {
					for (const { key, waitsMs } of await makeDue(db, [...resting])) {
						if (waitsMs < LONG_MS) continue;
						const times = (putOff.get(key) ?? 0) + 1;
						putOff.set(key, times);
						if (times > 2) resting.add(key);
					}
					left = (await keysLeft(db)).filter((key) => !resting.has(key));
					return left.length === 0;
				},
				() => `the queue is empty, and not ${left}`,
			);
		},
		/**
		 * Starts a second process on the same database that only answers, with its own provider over
		 * the same market: so every call that this provider gets comes from a client's request. Another
		 * process may share the provider.
		 */
		async openApi({ env, ...other }: { provider?: ProviderEmulator; env?: Env } = {}) {
			const provider = other.provider ?? world.start();
			await provider.sync();
			keepOnly(provider);
			const database = service.database;
			const api = await start(provider, { database, env: { ROLE: "api", ...env } });
			services.push(api);
			return { api, provider };
		},
		nowMs,
		/** Sets the clock of all services forward. */
		advance(ms: number): void {
			aheadMs += ms;
		},
		/** Waits until both lanes, and the provider, have seen the head. */
		caughtUp,
		addressOf,
		async close(): Promise<void> {
			for (const one of services) await one.stop();
			await service.database.drop();
			await world.close();
		},
	};
}

/** Longer than any wait for the provider's next free place. */
const LONG_MS = 30_000;

/**
 * Makes every task due except these. Returns, for tasks that have not failed, how long each would
 * have waited.
 */
function makeDue(db: Database, resting: readonly string[]) {
	return db.query<{ key: string; waitsMs: number }>(
		`with due as (
			update graphile_worker._private_jobs set run_at = now()
			where run_at > now() and locked_at is null
				and not coalesce(key = any($1::text[]), false)
			returning key, attempts, old.run_at
		)
		select key, (extract(epoch from run_at - now()) * 1000)::float8 as "waitsMs"
		from due where key is not null and attempts = 0`,
		[resting],
	);
}

async function keysLeft(db: Database): Promise<string[]> {
	const rows = await db.query<{ name: string }>(
		`select coalesce(key, id::text) as name from graphile_worker._private_jobs
		where attempts < max_attempts`,
	);
	return rows.map(({ name }) => name);
}

export type MarketLab = Awaited<ReturnType<typeof openMarketLab>>;
