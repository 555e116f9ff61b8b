import type { RangePlan } from "#plugins/chain-scanner/lane/planRange.ts";
import type { HeaderMemory } from "#plugins/chain-scanner/range/createHeaderMemory.ts";
import type { LaneSource, RangeReading } from "#plugins/chain-scanner/range/LaneSource.ts";

/** A range that was asked for, the answer on its way, and how to break it off. */
export type AskedRange = {
	plan: RangePlan;
	reading: Promise<RangeReading>;
	/** Aborted where the answer took longer than a run may. */
	ceiling: AbortSignal;
	cancel(): void;
};

/** Asks a source for a range; ends with `stop`, at `ceilingMs`, or when it is cancelled. */
export function askRange(
	source: LaneSource,
	plan: RangePlan,
	limits: { stop: AbortSignal; ceilingMs: number; remembered: HeaderMemory | undefined },
): AskedRange {
	const ceiling = AbortSignal.timeout(limits.ceilingMs);
	const cancelled = new AbortController();
	const signal = AbortSignal.any([limits.stop, ceiling, cancelled.signal]);
	const { remembered } = limits;
	const reading = source.read(plan.range, { ...plan.read, signal, remembered });
	// Whoever comes for it is told; nobody may come.
	reading.catch(() => {});
	return { plan, reading, ceiling, cancel: () => cancelled.abort() };
}
