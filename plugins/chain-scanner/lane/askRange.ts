import type { RangePlan } from "#plugins/chain-scanner/lane/planRange.ts";
import type { HeaderMemory } from "#plugins/chain-scanner/range/createHeaderMemory.ts";
import type { LaneSource, RangeReading } from "#plugins/chain-scanner/range/LaneSource.ts";

/** A requested range, its pending answer, and how to cancel it. */
export type AskedRange = {
	plan: RangePlan;
	reading: Promise<RangeReading>;
	/** Aborted where the answer took longer than a run may. */
	ceiling: AbortSignal;
	cancel(): void;
};

/** Requests a range from a source; ends with `stop`, at `ceilingMs`, or when it is cancelled. */
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
	// An awaiting caller gets the error; without one it must not go unhandled.
	reading.catch(() => {});
	return { plan, reading, ceiling, cancel: () => cancelled.abort() };
}
