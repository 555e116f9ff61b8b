import type { Hex } from "#core/chain/Hex.ts";
import type { Clock } from "#core/clock/Clock.ts";
import type { Database } from "#core/db/Database.ts";
import type { Lease } from "#core/lease/leases.ts";
import type { ChainEvent, EventSink, LaneKind } from "#plugins/chain-scanner/contract.ts";
import type { PushedLogs } from "#plugins/chain-scanner/early/createPushedLogs.ts";
import { takeBackEarly } from "#plugins/chain-scanner/early/takeBackEarly.ts";
import { ROWS_PER_WRITE_MAX } from "#plugins/chain-scanner/limits.ts";
import type { RangeReading } from "#plugins/chain-scanner/range/LaneSource.ts";
import { markEarly } from "#plugins/chain-scanner/sql/cursor.ts";
import { writeRange } from "#plugins/chain-scanner/write/writeRange.ts";

/** The block above the cursor, whose events are stored as they were pushed. */
export type Early = {
	block: number;
	hash: Hex;
	/** The events, by block, log index and entry: the keys of `placeOf`. */
	events: ReadonlyMap<string, ChainEvent>;
	atMs: number;
};

/** What this needs of a lane that holds its lease. */
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
 * Stores and publishes a block as it was pushed. The cursor stays where it is, and a mark beside it
 * says that this block is not confirmed: the next holder of the lane takes it back, unless the
 * node's answer about the block agrees (`settleEarly`).
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

function placeOf({ blockHash, logIndex, subIndex }: ChainEvent): string {
	return `${blockHash} ${logIndex} ${subIndex}`;
}
