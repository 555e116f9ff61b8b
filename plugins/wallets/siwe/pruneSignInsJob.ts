import type { Clock } from "#core/clock/Clock.ts";
import type { Database } from "#core/db/Database.ts";
import type { Job } from "#core/schedule/Job.ts";
import {
	SIGN_IN_PRUNE_EVERY_MS,
	SIGN_IN_PRUNE_ROWS_MAX,
	SIGN_IN_PRUNE_TIMEOUT_MS,
} from "#plugins/wallets/limits.ts";

/** By `siwe_nonce_expiry` and `session_expiry`. A revoked session goes when it would have ended. */
const EXPIRED = [
	`delete from wallets.siwe_nonce where nonce in (
		select nonce from wallets.siwe_nonce where expires_at <= $1 order by expires_at limit $2
	)`,
	`delete from wallets.session where id in (
		select id from wallets.session where expires_at <= $1 order by expires_at limit $2
	)`,
];

/** Deletes sessions and nonces past their time: anybody can ask for nonces, and few use them. */
export function pruneSignInsJob({ db, clock }: { db: Database; clock: Clock }): Job {
	return {
		name: "wallets.pruneSignIns",
		schedule: { everyMs: SIGN_IN_PRUNE_EVERY_MS },
		lock: "cluster",
		timeoutMs: SIGN_IN_PRUNE_TIMEOUT_MS,
		async run() {
			const now = new Date(clock.nowMs());
			for (const sql of EXPIRED) await db.execute(sql, [now, SIGN_IN_PRUNE_ROWS_MAX]);
		},
	};
}
