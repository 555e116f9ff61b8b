import type { LeaseKeeper } from "#core/lease/createLeaseKeeper.ts";
import type { Log } from "#core/log/Log.ts";
import { sleep } from "#core/time/sleep.ts";
import type { StreamStatus } from "#plugins/provider/stream/createStreamStatus.ts";
import { LEASE_EVERY_MS } from "#plugins/provider/stream/limits.ts";
import type { StreamClient } from "#plugins/provider/stream/StreamClient.ts";

const LEASE = "provider-stream";

/**
 * Holds the stream open for as long as this process holds the lease, until the signal: of many
 * workers one listens, and another takes over within seconds when it is gone. With the database
 * away nobody listens: what a push says could not be stored.
 *
 * Two may listen for a moment while the lease changes hands. That costs a push told twice, which
 * whoever stores pushes has to bear anyway.
 */
export async function startProviderStream(options: {
	stream: StreamClient;
	leases: Pick<LeaseKeeper, "hold" | "release">;
	log: Log;
	/** Told how it stands by the one that listens, asked by all others. */
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
		// What is not said now is said with the next beat.
		await (isOurs ? status.tell(stream.state()) : status.learn()).catch(() => {});
		await sleep(everyMs, signal);
	}
	await stream.stop();
	await leases.release(LEASE).catch(() => {});
}
