import type { Hex } from "viem";
import { systemClock } from "#core/clock/systemClock.ts";
import type { Database } from "#core/db/Database.ts";
import type { Log } from "#core/log/Log.ts";
import { holdJobs, runHeld } from "#test/harness/holdJobs.ts";
import { startTestService, type TestServiceOptions } from "#test/harness/startTestService.ts";
import { until } from "#test/harness/until.ts";
import type { ProviderEmulator } from "#test/sandbox/provider/startProviderEmulator.ts";
import { openLab } from "#test/sandbox/provider/testing/openLab.ts";

type Env = Record<string, string>;

export type MarketLabOptions = {
	/**
	 * The provider's slugs of the collections that are left, there and in the index: each one costs
	 * calls, of which there are four a second.
	 */
	only?: readonly string[];
	historyBlocks?: number;
	/** Block to scan from; by itself the whole history. */
	scanFrom?: number;
	/** Between the service and the chain, told the chain's URL. */
	through?: (rpcUrl: string) => Promise<string>;
	/** Between the service and its provider. */
	behind?: (provider: ProviderEmulator) => Pick<ProviderEmulator, "url" | "streamUrl">;
	log?: Log;
	env?: Env;
};

/** Jobs that call the provider by the clock: here they do so only when a test says so. */
const HELD = ["discovery", "full-sync", "lean-sync", "drops"].map((job) => `market-index.${job}`);

/**
 * The whole service on a still sandbox chain and its marketplace provider.
 *
 * Nothing in it waits for a minute to be over: a scheduled job runs when the test says so, what
 * lies in the queue for later is due at once, and the service's clock can be set forward.
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
	/** The contract of a collection of the provider's. */
	function addressOf(slug: string): Hex {
		const collection = emulator.market().collections.get(slug);
		if (!collection) throw new Error(`the provider has no ${slug}`);
		return collection.facts.address;
	}

	return {
		...world,
		service,
		/** An answer that has to be one. */
		async read(path: string): Promise<any> {
			const { status, body } = await service.get(`/v1/nft-market${path}`);
			if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`);
			return body;
		},
		/** The provider's own answer to the same question. */
		async provider(path: string): Promise<any> {
			const { status, body } = await world.get(path);
			if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`);
			return body;
		},
		/** One run of a scheduled job, now. */
		async runJob(name: string): Promise<void> {
			const job = service.host.jobs.find((one) => one.name === `market-index.${name}`);
			if (!job) throw new Error(`there is no job ${name}`);
			await runHeld(job);
		},
		/**
		 * Waits until the queue has done all its work, also what it had put off. What the service's
		 * clock still tells to wait long, although it had its turn three times, rests: a test that
		 * wants it done moves the clock itself. Moved here, news of the test's own would become old.
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
		 * A second process on the same database that only answers, with a provider of its own over the
		 * same market: what that one is asked, a client's request has asked for. Another process may
		 * have the same provider.
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
		/** Both lanes, and the provider, have seen the head. */
		caughtUp,
		addressOf,
		async close(): Promise<void> {
			for (const one of services) await one.stop();
			await service.database.drop();
			await world.close();
		},
	};
}

/** Longer than any wait for the provider's next place. */
const LONG_MS = 30_000;

/**
 * Gives every job but these its turn. Answers, for those that have not failed, how long each would
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
