// Starts the product's lanes for one simulated process.

import { type Chain, createChainRegistry } from "#core/chain/Chain.ts";
import { chainRpc } from "#core/chain/rpc/chainRpc.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import { type Clock, systemClock } from "#core/clock.ts";
import type { Database, Tx } from "#core/db/Database.ts";
import { createLeaseKeeper } from "#core/lease.ts";
import type { Log } from "#core/log.ts";
import { createMetrics } from "#core/metrics.ts";
import { createOutbox } from "#core/outbox.ts";
import { backfillLease } from "#plugins/chain-scanner/lane/startBackfill.ts";
import { laneProgress, scannerMetrics } from "#plugins/chain-scanner/laneHealth.ts";
import { runChain } from "#plugins/chain-scanner/runChain.ts";
import { seaportVenue } from "#plugins/chain-scanner/venues/seaport/seaportVenue.ts";
import { marketSink } from "#plugins/market-index/apply/createApplier.ts";
import { createSpanMemory } from "#plugins/market-index/figures/coverage.ts";
import { partitionsOf } from "#plugins/market-index/sql/partitions.ts";
import { fakePrices } from "#test/harness/fakes.ts";
import type { Prng } from "#test/sandbox/createPrng.ts";
import type { SimNode } from "#test/sim/node/createSimNode.ts";
import {
	createGate,
	createSimBus,
	createSimDatabase,
	type DatabaseKnobs,
	type Gate,
	type Statement,
} from "#test/sim/process/createSimDatabase.ts";
import type { Tally, Wrong } from "#test/sim/Tally.ts";

/** Waits of lanes, shrunk: what takes seconds in the product takes milliseconds here. */
const TIMES = {
	ceilingMs: 8_000,
	idleWaitMs: 40,
	leaseRetryMs: 60,
	retryMinMs: 1,
	oddBlockWaitMs: 1,
	retryMaxMs: 8,
	backfillIdleMs: 20,
	refusedRestMs: 15,
};
const POLL_MS = 15;
/**
 * Where only sockets tell of heads: as in the product, polls go on until one has opened and spoken.
 * What was mined before that it never tells, and a busy machine opens it seconds late.
 */
const POLL_UNTIL_HEARD_MS = 1_000;
/** What an endpoint's health takes seconds for takes tens of milliseconds too. */
const HURRY = 50;
const hurriedClock: Clock = { nowMs: () => systemClock.nowMs() * HURRY };
const LEASE_MS = 500;
const RENEW_EVERY_MS = 90;
/** How deep a reorg the product is told to expect. */
export const REORG_DEPTH_MAX = 64;

export type SimProcess = ReturnType<typeof startSimProcess>;

export type SimProcessOptions = {
	name: string;
	chain: Chain;
	nodes: readonly SimNode[];
	/** Sockets that announce heads; none: heads are polled. */
	headUrls: readonly string[];
	/** False where only sockets tell of heads, once they speak. */
	polls: boolean;
	/** True where calls count as billed. */
	isScarce: boolean;
	db: Database;
	log: Log;
	databaseKnobs: DatabaseKnobs;
	busLossRate: number;
	faults: { active: boolean };
	scanFrom: number;
	prng: Prng;
	tally: Tally;
	/** Told of everything that must never be. */
	onWrong(wrong: Wrong): void;
	onIndexed(lane: string, block: number): void;
	/** What reached somebody over the bus. */
	onHint(message: string): void;
};

/**
 * What one process of the product runs for a chain, with leases, outbox and RPC of its own. It can
 * be stopped, killed (nothing is cleaned up and nothing it asked is answered) and stalled.
 */
export function startSimProcess(options: SimProcessOptions) {
	const { name, chain, nodes, tally } = options;
	const gate = createGate();
	const db = createSimDatabase({
		...options,
		gate,
		knobs: options.databaseKnobs,
		beforeCommit: (tx, statements) => checkHolder(options, tx, statements),
	});
	const bus = createSimBus({ ...options, lossRate: options.busLossRate });
	const outbox = createOutbox({ db, bus, clock: systemClock });
	const log = options.log.with({ process: name });
	const leases = createLeaseKeeper({
		db,
		holder: name,
		clock: systemClock,
		log,
		leaseMs: LEASE_MS,
		renewEveryMs: RENEW_EVERY_MS,
	});
	const endpoints = nodes.map((node, index) => {
		return { name: `node ${index}`, open: () => gated(node.connect(), gate) };
	});
	// On a clock that hurries each node seems far away, and calls would be scarce in all seeds.
	const isScarce = () => options.isScarce;
	const rpc = { ...chainRpc({ chain, endpoints, log, clock: hurriedClock }), isScarce };
	const stopping = new AbortController();
	const core = { clock: systemClock, db, leases, log, metrics: createMetrics() };
	const progress = laneProgress(db, systemClock);
	const applying = {
		chains: createChainRegistry([chain]),
		outbox,
		clock: systemClock,
		partitions: partitionsOf(db),
		prices: fakePrices(),
		queue: { add: async () => tally.add("job_queued") },
		spansOf: createSpanMemory({ progress }, systemClock),
	};
	// A seed's ranges are small: stored early like large ones, they meet what those meet.
	const sink = marketSink({ ...applying, rowsMin: 1 }, null);
	const running = runChain(
		core,
		{ chain, rpcFor: () => rpc, headUrls: options.headUrls },
		{
			sinks: [sink],
			venues: [seaportVenue],
			metrics: {
				...scannerMetrics(core.metrics),
				indexed: ({ lane }, { block }) => options.onIndexed(lane, block),
				failed: (_, code) => tally.add(`saw_${code}`),
				reorg: () => tally.add("saw_reorg"),
				pushed: (_, fate) => tally.add(`pushed_${fate}`),
			},
			health: { awaits() {}, worked() {}, failed() {}, trouble: () => null },
			scanFrom: options.scanFrom,
			pollMs: options.polls ? POLL_MS : POLL_UNTIL_HEARD_MS,
			times: TIMES,
			signal: stopping.signal,
			reorgDepthMax: REORG_DEPTH_MAX,
		},
	);
	running.catch((error) => {
		if (gate.isDead) return;
		options.onWrong({ about: "convergence", what: `${name} ended: ${String(error)}` });
	});

	return {
		name,
		stall: gate.shut,
		wake: gate.open,
		/** As SIGKILL: from now on nothing it does reaches anything. */
		kill() {
			gate.kill();
			stopping.abort();
			void leases.stop();
		},
		/** As SIGTERM. */
		async stop() {
			gate.open();
			stopping.abort();
			await running;
			await leases.stop().catch(() => {});
		},
	};
}

function gated(rpc: Rpc, gate: Gate): Rpc {
	const through = async <Answer>(ask: () => Promise<Answer>): Promise<Answer> => {
		await gate.pass();
		try {
			return await ask();
		} finally {
			await gate.pass();
		}
	};
	return {
		call: (call, given) => through(() => rpc.call(call, given)),
		batch: (calls, given) => through(() => rpc.batch(calls, given)),
		settle: (calls, given) => through(() => rpc.settle(calls, given)),
		distrust: rpc.distrust,
		stats: rpc.stats,
	};
}

/**
 * Whoever moves a lane's cursor holds its lease in that very transaction. Without fencing a process
 * that slept could commit beside its successor; most of the time the rows would not even show it.
 */
async function checkHolder(
	{ name, chain, onWrong }: SimProcessOptions,
	tx: Tx,
	statements: readonly Statement[],
): Promise<void> {
	for (const { text, values } of statements) {
		if (!/(insert into|update) chain_scanner\.cursor/.test(text)) continue;
		const lane = values.find((value) => value === "mint" || value === "sale");
		if (lane === undefined) continue;
		// What backfill has added below a lane is said under backfill's own lease, and moves nothing.
		const isBelow = /update chain_scanner\.cursor as lane set first_block/.test(text);
		const lease = isBelow ? backfillLease(chain.id) : `lane:${chain.id}:${String(lane)}`;
		const rows = await tx.query<{ holder: string }>(
			"select holder from core.lease where name = $1",
			[lease],
		);
		const holder = rows[0]?.holder;
		if (holder === name) continue;
		onWrong({ about: "fencing", what: `${name} wrote for ${lease}, which ${holder} holds` });
	}
}
