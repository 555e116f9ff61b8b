// Runs whole processes that sync, on a clock of their own.

import type { Budget } from "#core/budget/Budget.ts";
import { inProcessBudget } from "#core/budget/testing/inProcessBudget.ts";
import { inProcessBus } from "#core/bus.ts";
import { builtinChains } from "#core/chain/builtinChains.ts";
import { createChainRegistry } from "#core/chain/Chain.ts";
import { type Address, bytesOf } from "#core/chain/Hex.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import type { Clock } from "#core/clock.ts";
import type { Database } from "#core/db/Database.ts";
import { silentLog } from "#core/log.ts";
import { createMetrics } from "#core/metrics.ts";
import { createOutbox } from "#core/outbox.ts";
import type { ChainAccess } from "#core/plugin/Core.ts";
import type { Job } from "#core/schedule.ts";
import type { sleep } from "#core/time.ts";
import type { MergeEvents } from "#plugins/market-index/pace.ts";
import { createSyncing, type Syncing } from "#plugins/market-index/sync/createSyncing.ts";
import { contractOf, ethereum } from "#plugins/market-index/testing/marketFixture.ts";
import { createProvider, offStream } from "#plugins/provider/createProvider.ts";
import { fakePrices } from "#test/harness/fakes.ts";
import {
	createLine,
	createMarketplace,
	type MarketCollection,
} from "#test/sim/syncs/createMarketplace.ts";
import { createTestClock } from "#test/sim/syncs/createTestClock.ts";

export type Launching = {
	clock: Clock;
	wait: typeof sleep;
	queue: ReturnType<typeof createLine>;
	/** When each job began last, whoever began it: its tick is nobody else's. */
	ticks: Map<string, number>;
	/** Ends the process. */
	signal: AbortSignal;
};

export type SyncRunOptions = {
	collections: readonly Omit<MarketCollection, "address" | "slug">[];
	processes?: number;
	/** What processes share of the minute; by itself one budget, as with Redis. */
	budget?: (of: { clock: { nowMs(): number } }) => Budget;
	/** Until when lanes hold everything; by itself they are behind. */
	heldUntil?: (nowMs: number) => number | null;
};

export type SyncState = {
	id: number;
	slug: string;
	status: string;
	syncedAt: Date | null;
	leanAt: Date | null;
	eventsFrom: Date | null;
	eventsUntil: Date | null;
	walkReached: Date | null;
	walkUntil: Date | null;
	floor: string | null;
	failures: number;
};

const JOBS = ["full-sync", "lean-sync"];
/** How often a worker without work looks into the line. */
const IDLE_MS = 500;

/** In the middle of a minute and of a second: nothing falls on an edge by chance. */
const START_MS = Date.parse("2026-03-10T14:37:25.500Z");

/** Whole processes that sync, beside a marketplace, on a clock of their own. */
export async function openSyncRun(db: Database, options: SyncRunOptions) {
	const time = createTestClock(START_MS);
	const { clock, wait } = time;
	const collections = options.collections.map(named);
	const market = createMarketplace(collections, time);
	const watched = time.watched(db);
	const lines: string[] = [];
	const say = (message: string) => void lines.push(message);
	const log = { ...silentLog, warn: say, error: say };
	/** Transactions that were merged, by collection. */
	const merged = new Map<number, Set<string>>();
	const merge: MergeEvents = async ({ id }, events) => {
		const known = merged.get(id) ?? new Set();
		for (const { transactionHash } of events) known.add(transactionHash ?? "");
		merged.set(id, known);
	};
	const shared = (options.budget ?? inProcessBudget)({ clock });
	let stopping = new AbortController();
	const queue = createLine();
	const ticks = new Map<string, number>();
	await truncate(db);
	for (const { address } of collections) await register(db, address, clock.nowMs());

	function start(): Syncing {
		const chains = createChainRegistry(builtinChains);
		const outbox = createOutbox({ db: watched, bus: inProcessBus(silentLog), clock });
		const metrics = createMetrics();
		const access: ChainAccess = { chain: ethereum, rpcFor: () => ({}) as Rpc, headUrls: [] };
		const provider = createProvider({
			core: { clock, log, metrics, budget: shared, chains },
			...{ baseUrl: "http://market.test", stream: offStream, fetch: market.fetch, wait },
		});
		const core = { db: watched, clock, log, queue, outbox, chains, indexed: [access] };
		const heldUntil = async () => {
			const ms = options.heldUntil?.(clock.nowMs()) ?? null;
			return ms === null ? null : new Date(ms);
		};
		return createSyncing({ core, provider, prices: fakePrices(chains), merge, heldUntil, wait });
	}

	const launch = () =>
		launchProcess(start(), { clock, wait, queue, ticks, signal: stopping.signal });
	const launchAll = () => {
		for (let process = 0; process < (options.processes ?? 1); process++) launch();
	};
	launchAll();
	return {
		...time,
		market,
		collections,
		merged,
		lines,
		startMs: START_MS,
		states: () => readStates(db),
		/** Has one more collection, which was just seen for the first time. */
		async register(one: (typeof options.collections)[number]) {
			const added = named(one, collections.length);
			collections.push(added);
			market.add(added);
			await register(db, added.address, clock.nowMs());
		},
		stop: () => stopping.abort(),
		/** Ends all processes and starts them anew: jobs that were begun are lost, as in a crash. */
		restart() {
			stopping.abort();
			stopping = new AbortController();
			launchAll();
		},
	};
}

/** Runs one process that syncs: its clocked jobs, and the workers of its lane. */
function launchProcess(syncing: Syncing, launching: Launching): void {
	for (const name of JOBS) {
		const job = syncing.jobs.find((one) => one.name === `market-index.${name}`);
		if (!job) throw new Error(`no job ${name}`);
		void tick(job, launching);
	}
	const { queue, wait, signal } = launching;
	const [task] = syncing.tasks;
	for (let worker = 0; task && worker < (task.lane?.concurrency ?? 1); worker++) {
		void (async () => {
			while (!signal.aborted) {
				const job = queue.take();
				if (!job) await wait(IDLE_MS, signal);
				else {
					const ends = within(task.timeoutMs, launching);
					await task.run(job.payload as never, { signal: ends });
				}
			}
		})();
	}
}

function named(one: SyncRunOptions["collections"][number], index: number) {
	return { ...one, slug: `collection-${index}`, address: contractOf(0x70_0000 + index) };
}

async function truncate(db: Database): Promise<void> {
	await db.execute(
		`truncate market_index.collection, market_index.sync, market_index.former_slug,
			market_index.floor_snapshot, market_index.chain_span, market_index.unconfirmed
			restart identity`,
	);
}

async function register(db: Database, address: Address, nowMs: number): Promise<void> {
	await db.execute(
		`insert into market_index.collection (chain_id, address, standard, slug, registered_at)
		values ($1, $2, 'erc721', $3, $4)`,
		[ethereum.id, bytesOf(address), address, new Date(nowMs)],
	);
}

function readStates(db: Database): Promise<SyncState[]> {
	return db.query<SyncState>(
		`select c.id, c.slug, c.sync_status as status, s.synced_at as "syncedAt",
			s.lean_at as "leanAt", s.events_from as "eventsFrom", s.events_until as "eventsUntil",
			s.walk_reached as "walkReached", s.walk_until as "walkUntil",
			c.floor_native as floor, s.failures
		from market_index.collection as c left join market_index.sync as s on s.collection_id = c.id
		order by c.id`,
	);
}

async function tick(job: Job, launching: Launching): Promise<void> {
	const { clock, wait, ticks, signal } = launching;
	if (!("everyMs" in job.schedule)) throw new Error(`${job.name} has no distance`);
	const { everyMs } = job.schedule;
	while (!signal.aborted) {
		await wait(everyMs / 10, signal);
		const lastMs = ticks.get(job.name) ?? Number.NEGATIVE_INFINITY;
		if (clock.nowMs() - lastMs < everyMs) continue;
		ticks.set(job.name, clock.nowMs());
		await job.run({ signal: within(job.timeoutMs, launching) });
	}
}

/** Aborts as a queue does: after a time on the test's clock, or with the process. */
function within(ms: number, { wait, signal }: Launching): AbortSignal {
	const timeout = new AbortController();
	void wait(ms, signal).then(() => timeout.abort(new DOMException("late", "TimeoutError")));
	return AbortSignal.any([timeout.signal, signal]);
}
