// Stores a block from pushed logs, then confirms or removes it by the node's answer.

import type { Hex } from "#core/chain/Hex.ts";
import type { Head } from "#core/chain/heads/Head.ts";
import type { Clock } from "#core/clock.ts";
import type { Database } from "#core/db/Database.ts";
import { type Lease, requireLease } from "#core/lease.ts";
import type { ChainEvent, EventSink, LaneKind } from "#plugins/chain-scanner/contract.ts";
import type { PushedLogs } from "#plugins/chain-scanner/early/createPushedLogs.ts";
import { ROWS_PER_WRITE_MAX } from "#plugins/chain-scanner/limits.ts";
import type { LaneSteps, RangeReading, ReadOptions } from "#plugins/chain-scanner/range/model.ts";
import { logsDigest } from "#plugins/chain-scanner/range/parseLogs.ts";
import { pushedRange } from "#plugins/chain-scanner/range/readRange.ts";
import { takeBack } from "#plugins/chain-scanner/reorg/createForkRepair.ts";
import { lockChain } from "#plugins/chain-scanner/sql/block.ts";
import { markEarly, readCursor } from "#plugins/chain-scanner/sql/cursor.ts";
import { writeRange } from "#plugins/chain-scanner/write/writeRange.ts";

export type ReadTwice = {
	/** The block as the node answers when asked, which counts. */
	reading: Promise<RangeReading>;
	/** The block as it was pushed; null where that cannot be used, or the answer came first. */
	early: Promise<RangeReading | null>;
};

/** The block above the cursor, whose events are stored as they were pushed. */
export type Early = {
	block: number;
	hash: Hex;
	/** The events, by block, log index and entry: the keys of `placeOf`. */
	events: ReadonlyMap<string, ChainEvent>;
	atMs: number;
};

/** Holds what is needed of a lane that holds its lease. */
type EarlyRun = {
	options: {
		chainId: number;
		source: { kind: LaneKind };
		db: Database;
		sinks: readonly EventSink[];
		clock: Clock;
		pushed?: PushedLogs | undefined;
		/** Called when early rows were removed, which sets other lanes' cursors back. */
		onTakenBack?(): void;
	};
	state: { earlyTried: Hex | null };
	at: { early: Early | null };
	lease: Lease;
};

/**
 * Stores and publishes a block from pushed logs. The cursor stays where it is, and a mark beside it
 * says that this block is not confirmed: the next holder of the lane removes it, unless the node's
 * answer about the block agrees (`settleEarly`).
 */
export async function storeEarly(run: EarlyRun, reading: RangeReading): Promise<void> {
	const { options, state, at, lease } = run;
	const { chainId, source, db, sinks, clock } = options;
	const { range, events, blocks } = reading;
	const hash = blocks.at(-1)?.hash;
	if (events.length === 0 || events.length > ROWS_PER_WRITE_MAX || hash === undefined) return;
	state.earlyTried = hash;
	const mark = { chainId, lane: source.kind, block: range.to, hash };
	await writeRange(
		{ db, sinks },
		{
			...{ chainId, lane: source.kind, lease, range, events, blocks },
			// Only the node's answer may settle blocks below.
			...{ pruneBelow: 0, live: true },
			commit: (tx) => markEarly(tx, mark),
		},
	);
	const stored = new Map(events.map((event) => [placeOf(event), event]));
	at.early = { block: range.to, hash, events: stored, atMs: clock.nowMs() };
	options.pushed?.note("taken");
}

/**
 * Reads the newest block twice at once: asks the node for its logs by its hash, and takes the
 * pushed ones. If both are the same logs they are decoded once, and nothing is asked twice.
 */
export function readTwice(
	steps: LaneSteps,
	pushed: PushedLogs,
	given: { head: Head; options: ReadOptions },
): ReadTwice {
	const { head, options } = given;
	const range = { from: head.number, to: head.number };
	const answered = new AbortController();
	const asked = steps.ask(range, options).finally(() => answered.abort());
	const pushedLogs = pushed.of(head, AbortSignal.any([options.signal, answered.signal]));
	const decoded = pushedLogs.then((logs) => {
		if (!logs) return null;
		return steps.decode(pushedRange(head, logs, options.unsettledFrom), range, options);
	});
	return {
		reading: compare(),
		early: decoded.then(
			(reading) => (answered.signal.aborted ? null : reading),
			() => null,
		),
	};

	async function compare(): Promise<RangeReading> {
		const [read, logs] = await Promise.all([asked, pushedLogs]);
		if (logs && logsDigest(logs) === logsDigest(read.logs)) {
			pushed.note("same");
			const known = await decoded.catch(() => null);
			const { blocks, parentHash, madeMs } = read;
			if (known) return { ...known, blocks, parentHash, madeMs };
		}
		if (!logs && read.logs.length > 0) pushed.note("missed");
		return steps.decode(read, range, options);
	}
}

/**
 * Compares early rows with the node's answer: returns the reading without those events if it has
 * exactly all of them. Otherwise the early rows are removed first.
 */
export async function settleEarly(run: EarlyRun, reading: RangeReading): Promise<RangeReading> {
	const { options, at, lease } = run;
	const { early } = at;
	if (!early) return reading;
	const isSame = (event: ChainEvent) => Bun.deepEquals(early.events.get(placeOf(event)), event);
	const known = reading.events.filter(isSame);
	const isBlock = reading.blocks.some(({ number, hash }) => {
		return number === early.block && hash === early.hash;
	});
	if (isBlock && known.length === early.events.size) {
		const events = reading.events.filter((event) => !isSame(event));
		options.pushed?.note(events.length > 0 ? "added" : "agreed");
		return { ...reading, events };
	}
	await takeBackEarly({ ...options, lane: options.source.kind }, lease);
	at.early = null;
	options.pushed?.note("retracted");
	options.onTakenBack?.();
	return reading;
}

/**
 * Removes a lane's unconfirmed early rows, as if their block had left the chain; false where there
 * are none. Other lanes that have the block read it again.
 */
export async function takeBackEarly(
	of: { chainId: number; lane: LaneKind; db: Database; sinks: readonly EventSink[] },
	lease: Lease,
): Promise<boolean> {
	const { chainId, lane, db, sinks } = of;
	return db.transaction(async (tx) => {
		await lockChain(tx, chainId);
		await requireLease(tx, lease);
		const cursor = await readCursor(tx, chainId, lane);
		if (!cursor?.early) return false;
		const { blockNumber: number, blockHash: hash } = cursor;
		const above = { number, hash, parentHash: null, settled: false };
		await takeBack(tx, { chainId, above, sinks });
		return true;
	});
}

function placeOf({ blockHash, logIndex, subIndex }: ChainEvent): string {
	return `${blockHash} ${logIndex} ${subIndex}`;
}
