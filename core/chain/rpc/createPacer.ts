import { rpcFault } from "#core/chain/rpc/faults.ts";
import type { Clock } from "#core/clock/Clock.ts";
import { sleep } from "#core/time/sleep.ts";

export type Pacer = {
	/** Waits for its turn; fails as silence if that would take too long. */
	turn(signal?: AbortSignal): Promise<void>;
};

/** With a longer wait, another endpoint is better. */
const WAIT_MAX_MS = 10_000;

/**
 * Makes a pacer: it spaces requests to one endpoint, so that no second contains more than allowed.
 * A queue without bursts: providers count in windows whose start is unknown.
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
