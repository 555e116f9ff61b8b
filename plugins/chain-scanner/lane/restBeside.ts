import { sleep } from "#core/time/sleep.ts";
import { backfillPace } from "#plugins/chain-scanner/lane/backfillPace.ts";
import { REST_MS_MAX, REST_SHARE } from "#plugins/chain-scanner/limits.ts";
import type { HeadGate } from "#plugins/chain-scanner/write/createHeadGate.ts";

/**
 * Returns a function that less urgent work calls between small parts, beside a live head. It waits
 * until the head's lanes are done, and leaves node, database and processor some time for others. It
 * does not wait where no block is likely to come soon, or no lane follows the head.
 */
export function restBeside(gate: HeadGate | undefined, signal: AbortSignal): () => Promise<void> {
	let sinceMs = performance.now();
	return async () => {
		const workedMs = performance.now() - sinceMs;
		if (gate && backfillPace(gate).kind === "gentle") {
			await sleep(Math.min(workedMs * REST_SHARE, REST_MS_MAX), signal);
			await gate.idle(REST_MS_MAX);
		}
		sinceMs = performance.now();
	};
}
