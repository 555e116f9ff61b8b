import type { Clock } from "#core/clock/Clock.ts";
import { INBOUND_MESSAGES_MAX, INBOUND_WINDOW_MS } from "#plugins/streams/limits.ts";

/** Returns a function that says whether one more message of a client is within the limit. */
export function inboundAllowance(clock: Clock): () => boolean {
	let windowStartMs = clock.nowMs();
	let count = 0;
	return () => {
		const nowMs = clock.nowMs();
		if (nowMs - windowStartMs >= INBOUND_WINDOW_MS) {
			windowStartMs = nowMs;
			count = 0;
		}
		count += 1;
		return count <= INBOUND_MESSAGES_MAX;
	};
}
