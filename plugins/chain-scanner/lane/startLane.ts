import type { Hex } from "#core/chain/Hex.ts";
import type { Clock } from "#core/clock/Clock.ts";
import type { Database, Tx } from "#core/db/Database.ts";
import { Fault } from "#core/fault/Fault.ts";
import type { LeaseKeeper } from "#core/lease/createLeaseKeeper.ts";
import type { Lease } from "#core/lease/leases.ts";
import type { Log } from "#core/log/Log.ts";
import { sleep } from "#core/time/sleep.ts";
import { wakeable } from "#core/time/wakeable.ts";
import type { EventSink } from "#plugins/chain-scanner/contract.ts";
import { adaptWindow } from "#plugins/chain-scanner/lane/adaptWindow.ts";
import type { BlockRange, LaneSource, RangeReading } from "#plugins/chain-scanner/lane/LaneSource.ts";
import { planStart } from "#plugins/chain-scanner/lane/planStart.ts";
import { splitRange } from "#plugins/chain-scanner/lane/splitRange.ts";
import { writeRange } from "#plugins/chain-scanner/lane/writeRange.ts";
import {
	LANE_CEILING_MS,
	IDLE_WAIT_MS,
	LEASE_RETRY_MS,
	LIVE_BLOCKS_MAX,
	RANGE_FAILURES_MAX,
	RETRY_MAX_MS,
	RETRY_MIN_MS,
	ROWS_PER_WRITE_MAX,
	WINDOW_BLOCKS_MAX,
	WINDOW_BLOCKS_MIN,
} from "#plugins/chain-scanner/limits.ts";
import { moveCursor, readCursor, touchCursor } from "#plugins/chain-scanner/sql/cursor.ts";
import { type GapReason, insertGap } from "#plugins/chain-scanner/sql/gap.ts";

export type LaneOptions = {
	chainId: number;
	source: LaneSource;
	db: Database;
	sinks: readonly EventSink[];
	clock: Clock;
	log: Log;
	leases: LeaseKeeper;
	/** `NFT_SCAN_FROM_BLOCK`. */
	scanFrom: number | null;
	signal: AbortSignal;
	onIndexed(progress: { block: number; head: number; rows: number }): void;
	onFailure(code: string): void;
};

export type Lane = {
	/** Tells the lane about a head; older ones are ignored. */
	offerHead(block: number): void;
	/** Settles when the signal aborted and nothing is under way any more. */
	done: Promise<void>;
};

/** What a lane knows while it holds its lease. Forgotten whenever it loses it, or a write fails. */
type Position = {
	/** What the stored cursor says; null before the first write. */
	cursor: number | null;
	next: number;
	/** Written with the first range, so that a skipped span and the skip commit together. */
	gap: { range: BlockRange; reason: GapReason } | null;
	/** The range after the current one, fetched while that one is written. */
	ahead: Promise<RangeReading> | null;
};

/** Runs one lane of one chain until the signal aborts. */
export function startLane(options: LaneOptions): Lane {
	const { chainId, source, db, log, signal } = options;
	const leaseName = `lane:${chainId}:${source.kind}`;
	const bell = wakeable();
	let head: number | null = null;
	let window = WINDOW_BLOCKS_MAX;
	let heldToken: number | null = null;
	/** True until this holder has found its place: then the restart rule decides where that is. */
	let restarted = true;
	let position: Position | null = null;
	let refusals = 0;
	let retryMs = RETRY_MIN_MS;

	return {
		offerHead(block) {
			if (head !== null && block <= head) return;
			head = block;
			bell.ring();
		},
		done: loop(),
	};

	async function loop(): Promise<void> {
		while (!signal.aborted) {
			try {
				await turn();
				retryMs = RETRY_MIN_MS;
			} catch (error) {
				await recover(error);
			}
		}
	}

	async function turn(): Promise<void> {
		const lease = await holdLease();
		if (!lease) return sleep(LEASE_RETRY_MS, signal);
		if (head === null) return bell.wait(LEASE_RETRY_MS, signal);
		position ??= await findPosition(head);
		await run(lease, position);
		if (position.next > head) await bell.wait(IDLE_WAIT_MS, signal);
	}

	/** The lane's lease; null while another process has it. A new one is a restart of the lane. */
	async function holdLease(): Promise<Lease | null> {
		const lease = await options.leases.hold(leaseName);
		if (!lease || lease.token !== heldToken) {
			position = null;
			restarted = true;
		}
		heldToken = lease?.token ?? null;
		return lease;
	}

	async function findPosition(at: number): Promise<Position> {
		const cursor = (await readCursor(db, chainId, source.kind))?.blockNumber ?? null;
		if (!restarted && cursor !== null) return { cursor, next: cursor + 1, gap: null, ahead: null };
		const plan = planStart({ cursor, head: at, scanFrom: options.scanFrom });
		if (plan.gap) log.warn("the lane was far behind; backfill owes the span", { ...plan.gap });
		restarted = false;
		const gap = plan.gap ? ({ range: plan.gap, reason: "restart_behind" } as const) : null;
		return { cursor, next: plan.next, gap, ahead: null };
	}

	/** Reads and writes until the head is reached or the ceiling ends the run. */
	async function run(lease: Lease, at: Position): Promise<void> {
		const ceiling = AbortSignal.timeout(LANE_CEILING_MS);
		const limit = AbortSignal.any([signal, ceiling]);
		while (head !== null && at.next <= head && !limit.aborted) {
			const ahead = at.ahead;
			at.ahead = null;
			const reading = await (ahead ?? source.read(rangeFrom(at.next, head), limit));
			refusals = 0;
			const { range, logCount } = reading;
			const blocks = range.to - range.from + 1;
			window = adaptWindow(window, { kind: "answered", logCount, blocks });
			if (range.to < head && !limit.aborted) {
				at.ahead = source.read(rangeFrom(range.to + 1, head), limit);
				// Looked at in the next round; until then its failure is nobody's surprise.
				at.ahead.catch(() => {});
			}
			await write(lease, at, reading);
		}
	}

	function rangeFrom(from: number, to: number): BlockRange {
		return { from, to: Math.min(from + window - 1, to) };
	}

	async function write(lease: Lease, at: Position, reading: RangeReading): Promise<void> {
		const top = Math.max(head ?? 0, reading.range.to);
		const live = top - reading.range.from < LIVE_BLOCKS_MAX;
		for (const { range, events } of splitRange(
			reading.range,
			reading.events,
			ROWS_PER_WRITE_MAX,
		)) {
			const whole = range.to === reading.range.to;
			const lastHash: Hex = whole ? reading.lastHash : (events.at(-1)?.blockHash ?? "0x");
			const commit = (tx: Tx) => commitRange(tx, at, range, lastHash, top);
			const { clock, sinks } = options;
			const done = { chainId, lane: source.kind, lease, range, events, live, commit };
			await writeRange({ db, sinks, clock }, done);
			at.cursor = range.to;
			at.next = range.to + 1;
			at.gap = null;
			options.onIndexed({ block: range.to, head: top, rows: events.length });
		}
	}

	async function commitRange(
		tx: Tx,
		at: Position,
		range: BlockRange,
		toHash: Hex,
		headBlock: number,
	): Promise<boolean> {
		const lane = source.kind;
		if (at.gap) await insertGap(tx, { chainId, lane, ...at.gap });
		const atMs = options.clock.nowMs();
		const move = { chainId, lane, from: at.cursor, to: range.to, toHash, headBlock, atMs };
		return moveCursor(tx, move);
	}

	/** Decides what a failure means: ask for less, step over a block, or wait and ask again. */
	async function recover(error: unknown): Promise<void> {
		if (signal.aborted) return;
		const code = error instanceof Fault ? error.code : "unexpected";
		options.onFailure(code);
		if (position) position.ahead = null;
		if (code === "rpc_range" && position) {
			if (window > WINDOW_BLOCKS_MIN) {
				window = adaptWindow(window, { kind: "refused" });
				return;
			}
			refusals++;
			if (refusals >= RANGE_FAILURES_MAX) stepOver(position);
		} else {
			// Whatever is not the node's doing may have left the cursor elsewhere than we think.
			if (!code.startsWith("rpc_")) position = null;
			if (code === "fenced") options.leases.forget(leaseName);
			if (retryMs === RETRY_MIN_MS) log.warn("the lane waits and tries again", { code, error });
			await noteHead();
		}
		await sleep(retryMs, signal);
		retryMs = Math.min(retryMs * 2, RETRY_MAX_MS);
	}

	/** The smallest range was refused again and again: it becomes a gap, and the lane goes on. */
	function stepOver(at: Position): void {
		const from = at.gap?.range.from ?? at.next;
		const to = at.next + WINDOW_BLOCKS_MIN - 1;
		log.error("a block's logs are refused; it becomes a gap", { from, to });
		at.gap = { range: { from, to }, reason: "range_refused" };
		at.next = to + 1;
		refusals = 0;
	}

	/** A lane that cannot read still says how far the chain has gone: `freshness` shows the lag. */
	async function noteHead(): Promise<void> {
		if (head === null) return;
		const touch = { chainId, lane: source.kind, headBlock: head };
		await touchCursor(db, touch).catch(() => {});
	}
}
