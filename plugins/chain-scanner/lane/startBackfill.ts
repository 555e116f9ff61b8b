import type { Clock } from "#core/clock/Clock.ts";
import type { Database } from "#core/db/Database.ts";
import { Fault } from "#core/fault/Fault.ts";
import type { LeaseKeeper } from "#core/lease/createLeaseKeeper.ts";
import type { Lease } from "#core/lease/leases.ts";
import type { Log } from "#core/log/Log.ts";
import { sleep } from "#core/time/sleep.ts";
import type { EventSink } from "#plugins/chain-scanner/contract.ts";
import { adaptWindow } from "#plugins/chain-scanner/lane/adaptWindow.ts";
import type { LaneSource, RangeReading } from "#plugins/chain-scanner/lane/LaneSource.ts";
import { splitRange } from "#plugins/chain-scanner/lane/splitRange.ts";
import { writeRange } from "#plugins/chain-scanner/lane/writeRange.ts";
import {
	BACKFILL_IDLE_MS,
	BACKFILL_ROWS_PER_WRITE_MAX,
	LANE_CEILING_MS,
	WINDOW_BLOCKS_MAX,
} from "#plugins/chain-scanner/limits.ts";
import { type Gap, newestGap, shrinkGap } from "#plugins/chain-scanner/sql/gap.ts";

export type BackfillOptions = {
	chainId: number;
	sources: readonly LaneSource[];
	db: Database;
	sinks: readonly EventSink[];
	clock: Clock;
	log: Log;
	leases: LeaseKeeper;
	signal: AbortSignal;
	onFailure(code: string): void;
};

/**
 * Drains a chain's gaps, the newest blocks first, until the signal aborts. A gap shrinks in the
 * transaction that writes what it held, so a kill at any moment leaves exactly what is owed.
 */
export async function startBackfill(options: BackfillOptions): Promise<void> {
	const { chainId, db, log, signal } = options;
	const name = `backfill:${chainId}`;
	let window = WINDOW_BLOCKS_MAX;
	while (!signal.aborted) {
		try {
			const lease = await options.leases.hold(name);
			const worked = lease ? await drainOnce(lease) : false;
			if (!worked) await sleep(BACKFILL_IDLE_MS, signal);
		} catch (error) {
			if (signal.aborted) return;
			const code = error instanceof Fault ? error.code : "unexpected";
			options.onFailure(code);
			if (code === "fenced") options.leases.forget(name);
			if (code === "rpc_range") window = adaptWindow(window, { kind: "refused" });
			else log.warn("backfill waits and tries again", { code, error });
			await sleep(BACKFILL_IDLE_MS, signal);
		}
	}

	/** One window of the newest gap of each lane; false when nothing is owed. */
	async function drainOnce(lease: Lease): Promise<boolean> {
		let worked = false;
		for (const source of options.sources) {
			const gap = await newestGap(db, chainId, source.kind);
			if (!gap) continue;
			const from = Math.max(gap.from, gap.to - window + 1);
			const limit = AbortSignal.any([signal, AbortSignal.timeout(LANE_CEILING_MS)]);
			const reading = await source.read({ from, to: gap.to }, limit);
			const blocks = gap.to - from + 1;
			window = adaptWindow(window, { kind: "answered", logCount: reading.logCount, blocks });
			await drain(lease, gap, reading);
			log.info("backfilled", { lane: source.kind, from, to: gap.to, owed: from - gap.from });
			worked = true;
		}
		return worked;
	}

	/** From the top down, in small parts: the chain's lock is short, and the head lanes go first. */
	async function drain(lease: Lease, gap: Gap, reading: RangeReading): Promise<void> {
		const { db, sinks, clock } = options;
		let left = gap;
		const parts = splitRange(reading.range, reading.events, BACKFILL_ROWS_PER_WRITE_MAX);
		for (const { range, events } of parts.reverse()) {
			const owed = left;
			await writeRange(
				{ db, sinks, clock },
				{
					chainId,
					lane: gap.lane,
					lease,
					range,
					events,
					live: false,
					commit: (tx) => shrinkGap(tx, owed, range.from),
				},
			);
			left = { ...owed, to: range.from - 1 };
		}
	}
}
