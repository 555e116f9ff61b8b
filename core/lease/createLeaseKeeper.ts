import type { Clock } from "#core/clock/Clock.ts";
import type { Database } from "#core/db/Database.ts";
import { type Lease, releaseLease, renewLeases, takeLease } from "#core/lease/leases.ts";
import type { Log } from "#core/log/Log.ts";

/** How long a lease outlives its last renewal: what a takeover after a kill must wait for. */
const LEASE_MS = 3_000;
const RENEW_EVERY_MS = 750;

/** Holds leases for this process and keeps them alive while it lives. */
export type LeaseKeeper = {
	/** The lease, taken if nobody has it; null while another process does. */
	hold(name: string): Promise<Lease | null>;
	/** Forgets a lease that turned out to be lost, without touching the new holder's. */
	forget(name: string): void;
	release(name: string): Promise<void>;
	/** Gives everything up, so that the next process need not wait. */
	stop(): Promise<void>;
};

/**
 * Renews all leases of this process with one statement a beat. Leases are short, so that a killed
 * process is replaced within seconds; a process that merely stalls loses them the same way, and
 * `requireLease` then refuses what it still tries to write.
 */
export function createLeaseKeeper(options: {
	db: Database;
	holder: string;
	clock: Clock;
	log: Log;
	/** The name of this process's connections; see `takeLease`. */
	session?: string;
	leaseMs?: number;
	renewEveryMs?: number;
}): LeaseKeeper {
	const { db, holder, clock, log, session = null, leaseMs = LEASE_MS } = options;
	const held = new Map<string, { lease: Lease; aliveUntilMs: number }>();
	const timer = setInterval(renew, options.renewEveryMs ?? RENEW_EVERY_MS);
	let renewing: Promise<void> | null = null;
	let stopped = false;

	return {
		async hold(name) {
			const own = held.get(name);
			if (own && clock.nowMs() < own.aliveUntilMs) return own.lease;
			if (stopped) return null;
			const askedAtMs = clock.nowMs();
			const lease = await takeLease(db, { name, holder, durationMs: leaseMs, session });
			if (lease) held.set(name, { lease, aliveUntilMs: askedAtMs + leaseMs });
			else held.delete(name);
			return lease;
		},
		forget: (name) => void held.delete(name),
		async release(name) {
			if (held.delete(name)) await releaseLease(db, name, holder);
		},
		async stop() {
			stopped = true;
			clearInterval(timer);
			await renewing;
			const names = [...held.keys()];
			held.clear();
			for (const name of names) await releaseLease(db, name, holder);
		},
	};

	function renew(): void {
		if (held.size === 0 || renewing) return;
		const askedAtMs = clock.nowMs();
		const names = [...held.keys()];
		renewing = renewLeases(db, { names, holder, durationMs: leaseMs })
			.then((renewed) => {
				for (const name of names) {
					const own = held.get(name);
					if (own && renewed.get(name) === own.lease.token) {
						own.aliveUntilMs = askedAtMs + leaseMs;
					}
				}
			})
			// What is not renewed runs out by itself; the next `hold` finds out.
			.catch((error) => log.warn("leases were not renewed", { error }))
			.finally(() => {
				renewing = null;
			});
	}
}
