// Opens the whole service beside the emulated provider, on a clock of the test.

import type { Log } from "#core/log.ts";
import {
	type Calls,
	type PastBlock,
	startNode,
} from "#test/conformance/provider/chain/startNode.ts";
import { startProvider } from "#test/conformance/provider/emulator/startProvider.ts";
import { makeWorld, type WorldOptions } from "#test/conformance/provider/world/makeWorld.ts";
import {
	holdJobs,
	runHeld,
	startTestService,
	type TestService,
} from "#test/harness/startTestService.ts";
import { createTestDatabase } from "#test/harness/testDatabase.ts";
import { until } from "#test/harness/until.ts";

export type LabOptions = {
	world?: Partial<WorldOptions>;
	/** Made when the chains' nodes have started. */
	env?: Record<string, string> | (() => Record<string, string>);
	/** The provider's own limit. */
	perMinute?: number;
	cursorLifeMs?: number;
	/** How far the clock moves with each call of the provider. */
	msPerCall?: number;
	/** The chains to index; those of `live` have a node, the others' nodes never answer. */
	chains?: string;
	live?: readonly LiveChain[];
	/** What was mined on a chain before its node was started, the oldest first. */
	past?: (chain: LiveChain, nowMs: number) => readonly PastBlock[];
	/** Contracts of a chain that answer calls. Made before `past` is. */
	contracts?: (chain: LiveChain, nowMs: number) => readonly Calls[];
};

export type LiveChain = "base" | "ethereum";

export type ConformanceLab = Awaited<ReturnType<typeof openConformanceLab>>;

/** Jobs that run only when a case says so. */
const HELD = [
	...["discovery", "full-sync", "lean-sync", "drops", "order-books", "recipients"].map(
		(name) => `market-index.${name}`,
	),
	"prices.poll",
	"prices.history",
];
/** 120 calls are then a minute: exactly what the key allows. */
const MS_PER_CALL = 500;
const FULL_SYNC_EVERY_MS = 60_000;
const FULL_SYNC_TURNS_MAX = 12;
const LEAN_EVERY_MS = 20_000;
const LEAN_TURNS_MAX = 12;
/** Longer than a page is kept. */
const PAGE_KEPT_MS = 91_000;
const EVENTS = "GET /api/v2/events/collection/{slug}";
const CHAIN_IDS: Record<LiveChain, number> = { base: 8_453, ethereum: 1 };
const NOBODY = "http://127.0.0.1:1";
/** Work that asks the provider; the rest asks chains, of which most here are silent. */
const ASKING = ["full-sync", "provider-tokens", "trait-floors", "traits"];

/**
 * The whole service beside a provider that was written from the published document alone, on a
 * clock that moves with the provider's calls: a minute's worth of calls takes a second or two.
 *
 * The chains' nodes are silent unless a case gives some, so everything known is the provider's.
 */
export async function openConformanceLab(options: LabOptions = {}) {
	const { msPerCall = MS_PER_CALL, chains = "base,ethereum,apechain", live = [] } = options;
	const { past = () => [], contracts = () => [] } = options;
	// Half past a minute: no case depends on which side of a minute the run begins.
	const startMs = Math.floor(Date.now() / 60_000) * 60_000 + 30_000;
	const begunAt = performance.now();
	let aheadMs = 0;
	const nowMs = () => Math.floor(startMs + (performance.now() - begunAt) + aheadMs);
	const world = makeWorld({ seed: 16, nowMs: nowMs(), ...options.world });
	const { perMinute, cursorLifeMs } = options;
	const provider = startProvider({
		world,
		nowMs,
		...(perMinute && { perMinute }),
		...(cursorLifeMs && { cursorLifeMs }),
		onCall: () => {
			aheadMs += msPerCall;
		},
	});
	// Without code a walk for owners would look through every block that a chain ever had.
	const isContract = (address: string) =>
		[...world.collections.values()].some(({ places }) =>
			places.some((place) => place.address === address),
		);
	const nodes = new Map(
		live.map((chain) => {
			const called = contracts(chain, nowMs());
			const node = { past: past(chain, nowMs()), isContract, contracts: called };
			return [chain, startNode(CHAIN_IDS[chain], nowMs, node)] as const;
		}),
	);
	const lines: { level: string; message: string }[] = [];
	const database = await createTestDatabase();
	const start = async (env: Record<string, string> = {}): Promise<TestService> => {
		const started = await startTestService({
			scanFrom: null,
			clock: { nowMs },
			log: listening(lines),
			database,
			env: {
				CHAINS: chains,
				CHAIN_RPC_URLS_JSON: JSON.stringify(
					Object.fromEntries(
						chains
							.split(",")
							.map((chain) => [chain, [nodes.get(chain as LiveChain)?.url ?? NOBODY]]),
					),
				),
				PROVIDER_BASE_URL: provider.url,
				PROVIDER_STREAM_URL: provider.streamUrl,
				PROVIDER_API_KEY: "conformance-key",
				...(typeof options.env === "function" ? options.env() : options.env),
				...env,
			},
		});
		holdJobs(started.host.jobs, HELD);
		return started;
	};
	const service = await start();
	const services = [service];

	async function read(path: string): Promise<any> {
		const { status, body } = await service.get(`/v1/nft-market${path}`);
		if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`);
		return body;
	}

	const asking = ASKING.map((task) => `market-index.${task}%`);

	/** Gives jobs that were put off their turn; answers how long each would have waited. */
	function hurry(keys: readonly string[] = asking) {
		return database.db.query<{ key: string; waitsMs: number }>(
			`with due as (
				update graphile_worker._private_jobs set run_at = now()
				where run_at > now() and locked_at is null and attempts = 0
					and key like any($1::text[])
				returning key, old.run_at
			)
			select key, (extract(epoch from run_at - now()) * 1000)::float8 as "waitsMs" from due`,
			[keys],
		);
	}

	/** Waits until nothing runs, or could, that asks the provider. */
	async function idle(): Promise<void> {
		let left: string[] = [];
		await until(
			async () => {
				const rows = await database.db.query<{ key: string }>(
					`select key from graphile_worker._private_jobs
					where key like any($1::text[])
						and (locked_at is not null or (attempts = 0 and run_at <= now()))`,
					[asking],
				);
				left = rows.map(({ key }) => key);
				return left.length === 0;
			},
			() => `nothing asks the provider, and not ${left.slice(0, 5)}`,
		);
	}

	/**
	 * Waits until nothing is in line that asks the provider, also what was put off. What puts itself
	 * off again, although it has its turn, waits for the service's clock: that is set forward.
	 */
	async function settle(): Promise<void> {
		const times = new Map<string, number>();
		for (;;) {
			await idle();
			const late = await hurry();
			if (late.length === 0) return;
			for (const { key, waitsMs } of late) {
				times.set(key, (times.get(key) ?? 0) + 1);
				if ((times.get(key) ?? 0) > 1) lab.advance(waitsMs);
			}
		}
	}

	async function runJob(name: string, of: TestService = service): Promise<void> {
		const full = name.includes(".") ? name : `market-index.${name}`;
		const job = of.host.jobs.find((one) => one.name === full);
		if (!job) throw new Error(`there is no job ${name}`);
		await runHeld(job);
	}

	/** Waits until every chain that has a node is read to its head. */
	async function indexed(): Promise<void> {
		for (const [chain, node] of nodes) {
			await until(
				async () => {
					const { freshness } = await read(`/trending?chain=${chain}&limit=1`);
					return freshness.indexedBlock >= node.head();
				},
				() => `block ${node.head()} of ${chain} is indexed`,
			);
		}
	}

	/** The provider's lists, a full sync of all they name, the events of a day, and drops. */
	async function syncAll(): Promise<void> {
		await indexed();
		await runJob("discovery");
		for (let turn = 0; turn < FULL_SYNC_TURNS_MAX; turn++) {
			lab.advance(FULL_SYNC_EVERY_MS);
			await runJob("full-sync");
			await settle();
			const all = await rows();
			if (all.every(({ lastProviderAt }) => lastProviderAt !== null)) break;
		}
		await readEvents();
		await runJob("drops");
		await settle();
		lab.advance(FULL_SYNC_EVERY_MS);
	}

	/** Every row that the list shows, of all chains, made now. */
	async function rows(): Promise<any[]> {
		lab.advance(PAGE_KEPT_MS);
		const lists = await Promise.all(
			chains.split(",").map((chain) => read(`/collections?chain=${chain}&limit=200`)),
		);
		return lists.flatMap(({ normalized }) => normalized);
	}

	/** Lean turns until each collection's recent events were asked for after this moment. */
	async function readEvents(turnsMax = LEAN_TURNS_MAX): Promise<void> {
		const from = provider.calls.length;
		const wanted = [...world.collections.values()].filter(({ places }) =>
			places.some(({ chain }) => chains.includes(chain.replace("_", ""))),
		);
		for (let turn = 0; turn < turnsMax; turn++) {
			lab.advance(LEAN_EVERY_MS);
			await runJob("lean-sync");
			const asked = new Set(
				provider.calls
					.slice(from)
					.filter(({ operation }) => operation === EVENTS)
					.map(({ path }) => path.slug),
			);
			if (wanted.every(({ slug }) => asked.has(slug))) return;
		}
	}

	const lab = {
		world,
		provider,
		service,
		database,
		/** What an operator would read, from `warn` on. */
		lines,
		nowMs,
		advance(ms: number): void {
			aheadMs += ms;
		},
		read,
		raw: (path: string, init?: RequestInit) =>
			fetch(`${service.url}/v1/nft-market${path}`, {
				...init,
				headers: { "x-forwarded-for": "10.9.9.9", ...init?.headers },
			}),
		async metrics(): Promise<string> {
			return (await fetch(`${service.url}/metrics`)).text();
		},
		settle,
		idle,
		/** Gives each job that waits in line its turn, whatever it is about. */
		hurry: () => hurry(["%"]),
		runJob,
		rows,
		indexed,
		/** The node of a chain that has one. */
		node(chain: LiveChain) {
			const node = nodes.get(chain);
			if (!node) throw new Error(`${chain} has no node`);
			return node;
		},
		syncAll,
		readEvents,
		/** Another process on the same database and the same provider. */
		async another(env: Record<string, string> = {}): Promise<TestService> {
			const one = await start(env);
			services.push(one);
			return one;
		},
		/** Calls since a moment that `calls.length` named. */
		callsSince: (from: number) => provider.calls.slice(from),
		/** A collection of the world, which must be there. */
		of(slug: string) {
			const collection = world.collections.get(slug);
			if (!collection) throw new Error(`the world has no ${slug}`);
			return collection;
		},
		async close(): Promise<void> {
			for (const one of services.reverse()) await one.stop();
			await database.drop();
			await provider.stop();
			for (const node of nodes.values()) await node.stop();
		},
	};
	return lab;
}

function listening(lines: { level: string; message: string }[]): Log {
	const keep = (level: string) => (message: string) => void lines.push({ level, message });
	const log: Log = {
		debug() {},
		info() {},
		warn: keep("warn"),
		error: keep("error"),
		with: () => log,
	};
	return log;
}
