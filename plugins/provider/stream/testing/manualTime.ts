import type { Clock } from "#core/clock.ts";
import type { Timers } from "#plugins/provider/stream/model.ts";

export const STARTED_AT_MS = Date.UTC(2026, 10, 1);

type Timer = { atMs: number; run: () => void };

/** Makes a clock and timers that stand still until a test moves them. */
export function manualTime() {
	let nowMs = STARTED_AT_MS;
	const waiting = new Set<Timer>();
	const clock: Clock = { nowMs: () => nowMs };
	const timers: Timers = {
		after(ms, run) {
			const timer = { atMs: nowMs + ms, run };
			waiting.add(timer);
			return () => void waiting.delete(timer);
		},
	};
	return {
		clock,
		timers,
		/** Returns the remaining time of each waiting timer. */
		delaysMs: () => [...waiting].map(({ atMs }) => atMs - nowMs).sort((a, b) => a - b),
		/** Moves the clock; due timers run in order, each at its time. */
		advance(ms: number) {
			const untilMs = nowMs + ms;
			for (;;) {
				const [next] = [...waiting].sort((a, b) => a.atMs - b.atMs);
				if (!next || next.atMs > untilMs) break;
				waiting.delete(next);
				nowMs = Math.max(nowMs, next.atMs);
				next.run();
			}
			nowMs = untilMs;
		},
	};
}
