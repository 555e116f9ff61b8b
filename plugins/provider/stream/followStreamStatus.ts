import { sleep } from "#core/time/sleep.ts";
import type { StreamStatus } from "#plugins/provider/stream/createStreamStatus.ts";
import { LEASE_EVERY_MS } from "#plugins/provider/stream/limits.ts";

/** Keeps a process that never listens itself up to date about the one that does. */
export async function followStreamStatus(options: {
	status: Pick<StreamStatus, "learn">;
	signal: AbortSignal;
	everyMs?: number;
}): Promise<void> {
	const { status, signal, everyMs = LEASE_EVERY_MS } = options;
	while (!signal.aborted) {
		// With the database away what was known stands; whoever asks the database fails anyway.
		await status.learn().catch(() => {});
		await sleep(everyMs, signal);
	}
}
