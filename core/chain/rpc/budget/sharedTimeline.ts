import { createHash } from "node:crypto";
import type { CallTimeline, Reservation } from "#core/chain/rpc/budget/CallTimeline.ts";
import { AWAY_MS, RESERVE_TIMEOUT_MS, SHARE_ALONE } from "#core/chain/rpc/budget/limits.ts";
import { localTimeline } from "#core/chain/rpc/budget/localTimeline.ts";
import { noteRate } from "#core/chain/rpc/budget/sql/noteRate.ts";
import { reserveCalls } from "#core/chain/rpc/budget/sql/reserveCalls.ts";
import type { Clock } from "#core/clock/Clock.ts";
import { createTimely } from "#core/db/createTimely.ts";
import type { Queryable } from "#core/db/Database.ts";

/**
 * Makes an endpoint's timeline that all processes on one database share: one statement per slice.
 * While the database does not answer each process uses a quarter of the rate.
 */
export function sharedTimeline(options: {
	/** Returns null while the service has no database yet. */
	db(): Queryable | null;
	/** Identifies the endpoint in all processes: only its hash is stored. */
	name: string;
	clock: Clock;
}): CallTimeline {
	const { clock } = options;
	const key = createHash("sha256").update(options.name).digest();
	const alone = localTimeline(clock);
	const timely = createTimely({ clock, timeoutMs: RESERVE_TIMEOUT_MS, awayMs: AWAY_MS });

	return {
		async reserve(calls, perSecond) {
			const row = await inTime((db) => reserveCalls(db, key, { calls, perSecond }));
			if (!row) return alone.reserve(calls, perSecond * SHARE_ALONE);
			const { in_ms: inMs, per_second: used, version } = row;
			const learned = version === null ? null : { perSecond: used, version };
			return { inMs, perSecond: used, learned } satisfies Reservation;
		},
		note(learned, pauseMs) {
			alone.note(learned, pauseMs);
			void inTime((db) => noteRate(db, key, { ...learned, pauseMs }).then(() => true));
		},
	};

	/** Asks the database; returns null if it does not answer in time, or recently did not. */
	async function inTime<Answer>(ask: (db: Queryable) => Promise<Answer>): Promise<Answer | null> {
		const db = options.db();
		return db && !timely.isAway() ? timely.ask(() => ask(db)) : null;
	}
}
