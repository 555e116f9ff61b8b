import type { Clock } from "#core/clock/Clock.ts";
import type { Database } from "#core/db/Database.ts";
import type { Job } from "#core/schedule/Job.ts";
import {
	SIGN_IN_PRUNE_EVERY_MS,
	SIGN_IN_PRUNE_ROWS_MAX,
	SIGN_IN_PRUNE_TIMEOUT_MS,
} from "#plugins/wallets/limits.ts";
import { pruneSessions } from "#plugins/wallets/session/createSessions.ts";
import { nonces } from "#plugins/wallets/siwe/sql/nonces.ts";

/** Deletes sessions and nonces past their time: anybody can ask for nonces, and few use them. */
export function pruneSignInsJob({ db, clock }: { db: Database; clock: Clock }): Job {
	return {
		name: "wallets.pruneSignIns",
		schedule: { everyMs: SIGN_IN_PRUNE_EVERY_MS },
		lock: "cluster",
		timeoutMs: SIGN_IN_PRUNE_TIMEOUT_MS,
		async run() {
			const now = new Date(clock.nowMs());
			await nonces.prune(db, now, SIGN_IN_PRUNE_ROWS_MAX);
			await pruneSessions(db, now, SIGN_IN_PRUNE_ROWS_MAX);
		},
	};
}
