import { sleep } from "#core/time/sleep.ts";
import { backfillPace } from "#plugins/chain-scanner/lane/backfillPace.ts";
import { REST_MS_MAX, REST_SHARE } from "#plugins/chain-scanner/limits.ts";
import type { HeadGate } from "#plugins/chain-scanner/write/createHeadGate.ts";

/**
 * For work that can wait, beside a live head: call what it answers between small parts. It waits
 * until the head's lanes are done, and leaves node, database and processor some time to everybody
 * else. It waits for nothing where no block is likely to come soon, or nobody follows the head.
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
