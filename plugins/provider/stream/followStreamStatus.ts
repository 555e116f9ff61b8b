import { sleep } from "#core/time/sleep.ts";
import type { StreamStatus } from "#plugins/provider/stream/createStreamStatus.ts";
import { LEASE_EVERY_MS } from "#plugins/provider/stream/limits.ts";

/** Keeps a process that never listens up to date about the one that does, until the signal. */
export async function followStreamStatus(options: {
	status: Pick<StreamStatus, "learn">;
	signal: AbortSignal;
	everyMs?: number;
}): Promise<void> {
	const { status, signal, everyMs = LEASE_EVERY_MS } = options;
	while (!signal.aborted) {
		// Without the database the last known state stays; routes that need the database fail anyway.
		await status.learn().catch(() => {});
		await sleep(everyMs, signal);
	}
}
