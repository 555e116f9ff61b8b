import type { Clock } from "#core/clock/Clock.ts";
import type { Database } from "#core/db/Database.ts";
import type { Job } from "#core/schedule/Job.ts";
import {
	LINK_PRUNE_EVERY_MS,
	LINK_PRUNE_ROWS_MAX,
	LINK_PRUNE_TIMEOUT_MS,
	LINKS_KEPT_MS,
} from "#plugins/wallets/link/limits.ts";

/** Deletes links long past their time: what they were used for is in their intents' moves. */
export function pruneLinksJob({ db, clock }: { db: Database; clock: Clock }): Job {
	return {
		name: "wallets.pruneLinks",
		schedule: { everyMs: LINK_PRUNE_EVERY_MS },
		lock: "cluster",
		timeoutMs: LINK_PRUNE_TIMEOUT_MS,
		async run() {
			// By `link_expiry`.
			await db.execute(
				`delete from wallets.link where token_hash in (
					select token_hash from wallets.link where expires_at <= $1 order by expires_at limit $2
				)`,
				[new Date(clock.nowMs() - LINKS_KEPT_MS), LINK_PRUNE_ROWS_MAX],
			);
		},
	};
}
