import { rpcFault } from "#core/chain/rpc/faults.ts";
import type { Clock } from "#core/clock/Clock.ts";
import { sleep } from "#core/time/sleep.ts";

export type Pacer = {
	/** Waits for its turn; fails as silence where that would take too long. */
	turn(signal?: AbortSignal): Promise<void>;
};

/** A question that would wait longer is better asked of another endpoint. */
const WAIT_MAX_MS = 10_000;

/**
 * Keeps requests to one endpoint apart, so that no second holds more than are allowed. A queue
 * without burst: providers count in windows whose beginning nobody outside knows.
 */
export function createPacer(options: {
	requestsPerSecondMax: number;
	clock: Clock;
	wait?: typeof sleep;
}): Pacer {
	const { clock, wait = sleep } = options;
	const distanceMs = 1_000 / options.requestsPerSecondMax;
	let nextAtMs = Number.NEGATIVE_INFINITY;
	return {
		async turn(signal) {
			const nowMs = clock.nowMs();
			const atMs = Math.max(nowMs, nextAtMs);
			if (atMs - nowMs > WAIT_MAX_MS) {
				throw rpcFault.transport({ detail: "too many wait for it", meta: { paced: true } });
			}
			nextAtMs = atMs + distanceMs;
			if (atMs > nowMs) await wait(atMs - nowMs, signal);
		},
	};
}
