import type { Clock } from "#core/clock/Clock.ts";

/** A lane that fails for longer than this is in trouble. */
const FAILING_MS = 60_000;
/** Failures that no lane recovers from by itself are trouble at once. */
const ALARMS = new Set(["reorg_too_deep"]);
/** A failing lane fails again within this time; without a failure since then it works. */
const FAILS_AGAIN_MS = 30_000;

/** The state of the lanes for `/readyz`. */
export type LaneHealth = {
	/** Marks a lane as not ready until it works for the first time, however long that takes. */
	awaits(lane: string): void;
	/** Records that the lane wrote something: earlier trouble is over. */
	worked(lane: string): void;
	failed(lane: string, code: string): void;
	/** Returns the lane that has been failing for longest, in words, or null where all is well. */
	trouble(): string | null;
};

/** Makes the memory of which lanes fail, and since when. */
export function createLaneHealth(clock: Clock): LaneHealth {
	const failing = new Map<string, { sinceMs: number; lastMs: number; code: string }>();
	const awaited = new Set<string>();
	return {
		awaits: (lane) => void awaited.add(lane),
		worked(lane) {
			failing.delete(lane);
			awaited.delete(lane);
		},
		failed(lane, code) {
			const nowMs = clock.nowMs();
			const known = failing.get(lane);
			const goesOn = known && nowMs - known.lastMs < FAILS_AGAIN_MS;
			failing.set(lane, { sinceMs: goesOn ? known.sinceMs : nowMs, lastMs: nowMs, code });
		},
		trouble() {
			const nowMs = clock.nowMs();
			const [first] = awaited;
			if (first !== undefined) {
				const code = failing.get(first)?.code;
				return `${first} has not been heard yet${code ? ` (${code})` : ""}`;
			}
			const [worst] = [...failing]
				.filter(([, { sinceMs, lastMs, code }]) => {
					const isLong = nowMs - sinceMs >= FAILING_MS || ALARMS.has(code);
					return isLong && nowMs - lastMs < FAILS_AGAIN_MS;
				})
				.sort(([, a], [, b]) => a.sinceMs - b.sinceMs);
			if (!worst) return null;
			const [lane, { sinceMs, code }] = worst;
			return `${lane} has failed for ${Math.floor((nowMs - sinceMs) / 1_000)} s (${code})`;
		},
	};
}
