import { burstOf } from "#core/chain/rpc/budget/burstOf.ts";
import type { CallTimeline } from "#core/chain/rpc/budget/CallTimeline.ts";
import type { Clock } from "#core/clock/Clock.ts";

/** Makes an endpoint's timeline for this process alone. */
export function localTimeline(clock: Clock): CallTimeline {
	let nextAtMs = Number.NEGATIVE_INFINITY;
	return {
		reserve(calls, perSecond) {
			const nowMs = clock.nowMs();
			const { callMs, creditMs } = burstOf(perSecond);
			const startMs = Math.max(nextAtMs, nowMs - creditMs);
			nextAtMs = startMs + calls * callMs;
			return { inMs: startMs - nowMs, perSecond, learned: null };
		},
		note(_, pauseMs) {
			nextAtMs = Math.max(nextAtMs, clock.nowMs() + pauseMs);
		},
	};
}
