import type { Clock } from "#core/clock/Clock.ts";
import { Fault } from "#core/fault/Fault.ts";
import { PAUSE_MAX_MS, PAUSE_MS } from "#plugins/market-index/pace/limits.ts";

export type SyncPause = {
	/**
	 * Returns for how long background work pauses its calls to the provider, in ms; 0: not at all.
	 */
	leftMs(): number;
	/** Records a limit; true where the error was one. */
	note(error: unknown): boolean;
};

/**
 * Makes the pause: once the provider answers "too often", all background work of this process stops
 * at once.
 */
export function createPause(clock: Clock): SyncPause {
	let untilMs = 0;
	let lengthMs = 0;
	// Never longer than stated, so that a clock that was set back does not pause for hours.
	const leftMs = () => Math.min(Math.max(untilMs - clock.nowMs(), 0), lengthMs);
	return {
		leftMs,
		note(error) {
			if (!(error instanceof Fault) || error.code !== "rate_limited") return false;
			const told = error.members["retryAfterMs"];
			const waitMs = typeof told === "number" && told > 0 ? Math.min(told, PAUSE_MAX_MS) : PAUSE_MS;
			if (waitMs > leftMs()) {
				untilMs = clock.nowMs() + waitMs;
				lengthMs = waitMs;
			}
			return true;
		},
	};
}
