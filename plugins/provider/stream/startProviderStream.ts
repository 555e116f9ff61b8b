import type { LeaseKeeper } from "#core/lease/createLeaseKeeper.ts";
import type { Log } from "#core/log/Log.ts";
import { sleep } from "#core/time/sleep.ts";
import type { StreamStatus } from "#plugins/provider/stream/createStreamStatus.ts";
import { LEASE_EVERY_MS } from "#plugins/provider/stream/limits.ts";
import type { StreamClient } from "#plugins/provider/stream/StreamClient.ts";

const LEASE = "provider-stream";

/**
 * Holds the stream open while this process holds the lease, until the signal: one of many workers
 * listens, and another takes over within seconds when it is gone. Without the database none
 * listens, as pushes could not be stored.
 *
 * Two may listen for a moment while the lease changes hands. A push then comes twice, which every
 * listener must accept anyway.
 */
export async function startProviderStream(options: {
	stream: StreamClient;
	leases: Pick<LeaseKeeper, "hold" | "release">;
	log: Log;
	/** Written by the listening process, read by all others. */
	status: Pick<StreamStatus, "tell" | "learn">;
	signal: AbortSignal;
	everyMs?: number;
}): Promise<void> {
	const { stream, leases, status, log, signal, everyMs = LEASE_EVERY_MS } = options;
	let isOurs = false;
	while (!signal.aborted) {
		const lease = await leases.hold(LEASE).catch(() => null);
		if (signal.aborted) break;
		if (lease && !isOurs) {
			log.info("this process listens to the provider's stream");
			stream.start(signal);
		}
		if (!lease && isOurs) {
			log.info("another process may listen to the provider's stream");
			await stream.stop();
		}
		isOurs = lease !== null;
		// A state that cannot be stored now is stored with the next beat.
		await (isOurs ? status.tell(stream.state()) : status.learn()).catch(() => {});
		await sleep(everyMs, signal);
	}
	await stream.stop();
	await leases.release(LEASE).catch(() => {});
}
