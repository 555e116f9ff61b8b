import type { Clock } from "#core/clock/Clock.ts";
import { Fault } from "#core/fault/Fault.ts";
import { PAUSE_MAX_MS, PAUSE_MS } from "#plugins/market-index/pace/limits.ts";

export type SyncPause = {
	/** How long background work keeps away from the provider; 0: not at all. */
	leftMs(): number;
	/** Takes note of a limit; true where the error was one. */
	note(error: unknown): boolean;
};

/** Once the provider says "too often", all background work of this process stands still at once. */
export function createPause(clock: Clock): SyncPause {
	let untilMs = 0;
	let lengthMs = 0;
	// Never longer than it was told: a clock that was set back holds nobody for hours.
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
