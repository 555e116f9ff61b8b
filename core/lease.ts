// Takes, renews and checks leases on work that one process does at a time.

import type { Clock } from "#core/clock.ts";
import { type Database, dbFault, type Tx } from "#core/db/Database.ts";
import type { Log } from "#core/log.ts";

/** Proof that a process held a piece of work when it began. */
export type Lease = { name: string; token: number };

/** Holds leases for this process and keeps them alive while it lives. */
export type LeaseKeeper = {
	/** Takes the lease if it is free, and returns it; null while another process has it. */
	hold(name: string): Promise<Lease | null>;
	/** Forgets a lease that turned out to be lost, without touching the new holder's. */
	forget(name: string): void;
	release(name: string): Promise<void>;
	/** Releases all leases, so that the next process need not wait. */
	stop(): Promise<void>;
};

/** How long a lease outlives its last renewal: the wait of a takeover after a kill. */
const LEASE_MS = 3_000;
const RENEW_EVERY_MS = 750;

/**
 * Fails the transaction unless the lease is still this one. Locks the row, so that no process can
 * take the work over between this check and the commit.
 */
export async function requireLease(tx: Tx, lease: Lease): Promise<void> {
	const held = await tx.query(
		"select 1 from core.lease where name = $1 and token = $2 for update",
		[lease.name, lease.token],
	);
	if (held.length === 0) {
		throw dbFault.fenced({ detail: `${lease.name}: token ${lease.token} is not the newest` });
	}
}

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

/**
 * Takes the lease, or renews it where this holder has it; null while another holds it.
 *
 * The token grows whenever the holder changes. It is what protects the data: a process that
 * stalled past its lease still believes in it, but its next write is refused by `requireLease`.
 *
 * A holder that named its session is gone when no connection of that name is left: after a kill
 * its work goes on at once. Whoever merely lost its connections is fenced off like one that
 * stalled.
 *
 * The time runs from the moment the row is ours, which may be long after the call: a writer that
 * is about to commit holds the row.
 */
export async function takeLease(
	db: Database,
	options: { name: string; holder: string; durationMs: number; session?: string | null },
): Promise<Lease | null> {
	const rows = await db.query<{ token: number }>(
		`insert into core.lease as held (name, holder, token, expires_at, session)
		values ($1, $2, 1, clock_timestamp() + $3 * interval '1 millisecond', $4)
		on conflict (name) do update set
			holder = excluded.holder,
			session = excluded.session,
			token = held.token + (held.holder <> excluded.holder)::int,
			expires_at = clock_timestamp() + $3 * interval '1 millisecond'
		where held.holder = excluded.holder or held.expires_at <= clock_timestamp()
			or not exists (
				select from pg_stat_activity
				where application_name = coalesce(held.session, application_name)
			)
		returning token`,
		[options.name, options.holder, options.durationMs, options.session ?? null],
	);
	const row = rows[0];
	return row ? { name: options.name, token: row.token } : null;
}

/** Releases the lease early, so that the next process need not wait for it to expire. */
export async function releaseLease(db: Database, name: string, holder: string): Promise<void> {
	await db.execute(
		"update core.lease set expires_at = clock_timestamp() where name = $1 and holder = $2",
		[name, holder],
	);
}

/** Renews those of these leases that this holder still has; answers their tokens by name. */
export async function renewLeases(
	db: Database,
	options: { names: readonly string[]; holder: string; durationMs: number },
): Promise<Map<string, number>> {
	const rows = await db.query<{ name: string; token: number }>(
		`update core.lease set expires_at = clock_timestamp() + $3 * interval '1 millisecond'
		where name = any($1::text[]) and holder = $2
		returning name, token`,
		[options.names, options.holder, options.durationMs],
	);
	return new Map(rows.map(({ name, token }) => [name, token]));
}
