// Runs lanes and backfill over a fake chain and a real database, for tests.

import { encodeAbiParameters, type Hex, padHex, toHex } from "viem";
import { systemClock } from "#core/clock.ts";
import type { Database } from "#core/db/Database.ts";
import { createLeaseKeeper } from "#core/lease.ts";
import { type Log, silentLog } from "#core/log.ts";
import type { EventBatch, EventSink, LaneKind } from "#plugins/chain-scanner/contract.ts";
import type { PushedLogs } from "#plugins/chain-scanner/early/createPushedLogs.ts";
import { startBackfill } from "#plugins/chain-scanner/lane/startBackfill.ts";
import { startLane } from "#plugins/chain-scanner/lane/startLane.ts";
import { type LaneTimes, REORG_DEPTH_LEAST } from "#plugins/chain-scanner/limits.ts";
import {
	TRANSFER_SINGLE_TOPIC,
	TRANSFER_TOPIC,
	ZERO_TOPIC,
} from "#plugins/chain-scanner/mint/decodeMints.ts";
import { mintSource } from "#plugins/chain-scanner/mint/mintSource.ts";
import type { LaneSource } from "#plugins/chain-scanner/range/model.ts";
import { createHeaderMemory } from "#plugins/chain-scanner/range/readHeaders.ts";
import { distrustingSource } from "#plugins/chain-scanner/range/sources.ts";
import { createForkRepair } from "#plugins/chain-scanner/reorg/createForkRepair.ts";
import { readCursor } from "#plugins/chain-scanner/sql/cursor.ts";
import type { HeadGate } from "#plugins/chain-scanner/write/createHeadGate.ts";
import { createFakeChain, type FakeChain, type FakeLog } from "#test/harness/fakeChain.ts";

export type LaneWorld = Awaited<ReturnType<typeof createLaneWorld>>;
export type LaneWorker = ReturnType<LaneWorld["worker"]>;

export type WorkerOptions = {
	source?: LaneSource;
	scanFrom?: number | null;
	times?: Partial<LaneTimes>;
	/** Lets its lease run out under it. */
	stalls?: boolean;
	gate?: HeadGate;
	/** Given where logs are pushed to the lane. */
	pushed?: PushedLogs;
};

type BackfillerOptions = {
	sources?: readonly LaneSource[];
	times?: Partial<LaneTimes>;
	lagBlocksMax?: number;
	gate?: HeadGate;
};

const QUICK: Partial<LaneTimes> = {
	leaseRetryMs: 2,
	retryMinMs: 1,
	retryMaxMs: 4,
	backfillIdleMs: 2,
	idleWaitMs: 50,
	levelNotedMs: 0,
	refusedRestMs: 0,
};
const NFT: Hex = padHex("0x721", { size: 20 });

/** An ERC-721 mint as a log. */
export function mintLog(tokenId: number, contract: Hex = NFT): FakeLog {
	const id = padHex(toHex(tokenId), { size: 32 });
	return {
		address: contract,
		topics: [TRANSFER_TOPIC, ZERO_TOPIC, padHex("0xb0b", { size: 32 }), id],
	};
}

/** Units of an ERC-1155 id, minted. */
export function unitsLog(tokenId: bigint, units: bigint): FakeLog {
	const data = encodeAbiParameters([{ type: "uint256" }, { type: "uint256" }], [tokenId, units]);
	const to = padHex("0xb0b", { size: 32 });
	return { address: NFT, topics: [TRANSFER_SINGLE_TOPIC, ZERO_TOPIC, ZERO_TOPIC, to], data };
}

let nextChainId = 9_000;

/**
 * One fake chain, one real database, and lanes on them as separate processes would run them: each
 * worker has a lease keeper of its own. What a worker writes lands in `lane_test`, which accepts
 * duplicates, so that a row written twice is seen.
 */
export async function createLaneWorld(db: Database, { blooms = false } = {}) {
	const chainId = nextChainId++;
	const chain = createFakeChain({ blooms });
	const log = recordingLog();
	const { sink, sinkTroubles } = await createSink(db, chainId);
	const quiet = { undecoded() {}, noise() {}, unlisted() {} };
	const source = distrustingSource(mintSource(chain.rpc, quiet), chain.rpc);
	const sinks = [sink];
	const reorgDepthMax = REORG_DEPTH_LEAST;
	// One for all: what a process was told of a block another one may have been told otherwise.
	const remembered = createHeaderMemory();
	const shared = { chainId, db, sinks, reorgDepthMax, log, remembered };
	const repairOf = (own: { tell(word: string, block: number | null): void }) =>
		createForkRepair({
			...shared,
			rpc: chain.rpc,
			depthMax: reorgDepthMax,
			onReorg: () => own.tell("reorg", null),
		});

	return {
		chain,
		chainId,
		log,
		source,
		sinkTroubles,
		/** Starts a lane. */
		worker(options: WorkerOptions = {}) {
			const own = createProcess(db, options);
			const lane = startLane({
				...shared,
				fork: repairOf(own),
				clock: systemClock,
				source: options.source ?? source,
				scanFrom: options.scanFrom ?? null,
				leases: own.leases,
				signal: own.signal,
				...(options.gate && { gate: options.gate }),
				pushed: options.pushed,
				onTakenBack: () => own.tell("taken back", null),
				times: { ...QUICK, ...options.times },
				onIndexed: ({ block }) => own.tell(`indexed ${block}`, block),
				onFailure: (code) => own.tell(code, null),
			});
			return {
				...own,
				/** Offers the chain's head. */
				look: () => lane.offerHead(chain.headOf(chain.head())),
				offerHead: lane.offerHead,
				doubt: lane.doubt,
				untilReverted: (times: number) => own.untilSaid("reorg", times),
				reverts: () => own.said.filter((word) => word === "reorg").length,
				/** Ends the lane alone; its process lives on. */
				stopLane: () => own.stopTask(lane.done),
				stop: () => own.stop(lane.done),
			};
		},
		/** Starts a backfill; ends by itself when nothing is owed any more. */
		backfiller(options: BackfillerOptions = {}) {
			const own = createProcess(db);
			const done = startBackfill({
				...shared,
				fork: repairOf(own),
				sources: options.sources ?? [source],
				leases: own.leases,
				signal: own.signal,
				...(options.gate && { gate: options.gate }),
				times: { ...QUICK, ...options.times },
				onFailure: (code) => own.tell(code, null),
				lagBlocksMax: options.lagBlocksMax,
				onGivenUp: ({ blocks }) => own.tell(`gave up ${blocks}`, null),
			});
			return { ...own, stop: () => own.stop(done) };
		},
		...createReads(db, chainId, chain),
	};
}

async function createSink(db: Database, chainId: number) {
	await db.execute(
		`create table if not exists lane_test
		(chain_id int8, lane text, block int8, token_id numeric, units numeric, total numeric,
		live bool)`,
	);
	const sinkTroubles = {
		/** Set to make the next writes fail, after their rows were inserted. */
		fail: (_block: number): unknown => null,
		/** Called before a batch is written; what it awaits, the write awaits. */
		before: async (_batch: EventBatch): Promise<void> => {},
	};
	const sink: EventSink = {
		name: "lane-test",
		async apply(tx, batch) {
			await sinkTroubles.before(batch);
			for (const event of batch.events) {
				await tx.execute("insert into lane_test values ($1, $2, $3, $4, $5, $6, $7)", [
					chainId,
					batch.lane,
					event.blockNumber,
					event.tokenId,
					event.quantity,
					event.totalRaw,
					batch.live,
				]);
				const failure = sinkTroubles.fail(event.blockNumber);
				if (failure) throw failure;
			}
		},
		async revert(tx, { forkBlock }) {
			await tx.execute("delete from lane_test where chain_id = $1 and block > $2", [
				chainId,
				forkBlock,
			]);
		},
	};
	return { sink, sinkTroubles };
}

/** A process of its own, whose lease ends when its keeper does not renew it. */
function createProcess(db: Database, options: { stalls?: boolean } = {}) {
	const signals = createSignals();
	const stopping = new AbortController();
	const leases = createLeaseKeeper({
		db,
		holder: crypto.randomUUID(),
		clock: systemClock,
		log: silentLog,
		...(options.stalls && { leaseMs: 40, renewEveryMs: 1_000_000 }),
	});
	const stopTask = async (done: Promise<unknown>) => {
		stopping.abort();
		await done;
	};
	const stop = async (done: Promise<unknown>) => {
		await stopTask(done);
		await leases.stop();
	};
	return { ...signals, leases, signal: stopping.signal, stop, stopTask };
}

/** What the database holds of one chain. */
function createReads(db: Database, chainId: number, chain: FakeChain) {
	return {
		async tokens(): Promise<number[]> {
			const rows = await db.query<{ id: string }>(
				"select token_id as id from lane_test where chain_id = $1 order by token_id",
				[chainId],
			);
			return rows.map(({ id }) => Number(id));
		},
		rows: () =>
			db.query<{ block: number; token_id: string; units: string; total: string; live: boolean }>(
				"select * from lane_test where chain_id = $1 order by block, token_id",
				[chainId],
			),
		async gaps(): Promise<string[]> {
			const rows = await db.query<{ from: number; to: number; reason: string }>(
				`select from_block as from, to_block as to, reason from chain_scanner.gap
				where chain_id = $1 order by from_block`,
				[chainId],
			);
			return rows.map(({ from, to, reason }) => `${from}..${to} ${reason}`);
		},
		async cursor(lane: LaneKind = "mint"): Promise<number | null> {
			const rows = await db.query<{ block: number }>(
				"select block_number as block from chain_scanner.cursor where chain_id = $1 and lane = $2",
				[chainId, lane],
			);
			return rows[0]?.block ?? null;
		},
		/** Until the cursor stands at the chain's head as it is now. */
		async untilLevel(lane: LaneKind = "mint"): Promise<void> {
			for (;;) {
				const at = await readCursor(db, chainId, lane);
				if (at?.blockHash === chain.hashOf(chain.head())) return;
			}
		},
		/** Until no block is owed any more. */
		async untilOwesNothing(): Promise<void> {
			for (;;) {
				const rows = await db.query("select from chain_scanner.gap where chain_id = $1", [chainId]);
				if (rows.length === 0) return;
			}
		},
		async setCursor(block: number): Promise<void> {
			await db.execute("insert into chain_scanner.cursor values ($1, 'mint', $2, $3, $2, now())", [
				chainId,
				block,
				Buffer.from(chain.hashOf(block).slice(2), "hex"),
			]);
		},
	};
}

/** Words that something happened, and waiting for them without sleeping. */
function createSignals() {
	const said: string[] = [];
	let indexed = -1;
	let waiting: { fits: () => boolean; resolve: () => void }[] = [];
	const until = (fits: () => boolean) =>
		new Promise<void>((resolve) => {
			if (fits()) resolve();
			else waiting.push({ fits, resolve });
		});
	return {
		said,
		tell(word: string, block: number | null) {
			said.push(word);
			if (block !== null) indexed = Math.max(indexed, block);
			const ready = waiting.filter(({ fits }) => fits());
			waiting = waiting.filter((one) => !ready.includes(one));
			for (const { resolve } of ready) resolve();
		},
		untilIndexed: (block: number) => until(() => indexed >= block),
		/** Until a word was said this often. */
		untilSaid: (word: string, times = 1) =>
			until(() => said.filter((one) => one === word).length >= times),
	};
}

type Line = { level: string; message: string; context: Record<string, unknown> };

function recordingLog(): Log & { lines: Line[] } {
	const lines: Line[] = [];
	const at =
		(level: string) =>
		(message: string, context: Record<string, unknown> = {}) => {
			lines.push({ level, message, context });
		};
	const log: Log = {
		debug: at("debug"),
		info: at("info"),
		warn: at("warn"),
		error: at("error"),
		with: () => log,
	};
	return Object.assign(log, { lines });
}

/** A source that counts how many of its readers are at work, and can hold them up. */
export function gated(source: LaneSource) {
	let active = 0;
	let open = Promise.resolve();
	const seen = { activeMax: 0, reads: 0 };
	let onRead = () => {};
	const read: LaneSource["read"] = async (range, options) => {
		const reading = await source.read(range, options);
		active++;
		seen.reads++;
		seen.activeMax = Math.max(seen.activeMax, active);
		onRead();
		await open;
		active--;
		return reading;
	};
	return {
		seen,
		source: { kind: source.kind, read } satisfies LaneSource,
		/** Holds what is read from now on; answers the key, and when somebody is held. */
		close() {
			const { promise, resolve } = Promise.withResolvers<void>();
			const held = new Promise<void>((told) => {
				onRead = told;
			});
			open = promise;
			return { held, release: resolve };
		},
	};
}
