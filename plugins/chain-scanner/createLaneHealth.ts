import type { Clock } from "#core/clock/Clock.ts";

/** A lane that fails for longer than this is no passing trouble. */
const FAILING_MS = 60_000;
/** What no lane gets over by itself is trouble from the first moment. */
const ALARMS = new Set(["reorg_too_deep"]);
/** A lane that fails at all fails again within this; silence since then means that it works. */
const FAILS_AGAIN_MS = 30_000;

/** What `/readyz` asks of the lanes. */
export type LaneHealth = {
	/** Until it worked for the first time it is not ready, however short that is. */
	awaits(lane: string): void;
	/** The lane wrote something: whatever was wrong is over. */
	worked(lane: string): void;
	failed(lane: string, code: string): void;
	/** The lane that has been failing for longest, in words, or null where all is well. */
	trouble(): string | null;
};

/** Remembers which lanes fail, and since when. */
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
