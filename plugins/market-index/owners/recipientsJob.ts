import type { Clock } from "#core/clock/Clock.ts";
import type { Database } from "#core/db/Database.ts";
import type { Job } from "#core/schedule/Job.ts";
import {
	RECIPIENTS_BUSY_MS,
	RECIPIENTS_COLLECTIONS_MAX,
	RECIPIENTS_EVERY_MS,
} from "#plugins/market-index/owners/limits.ts";
import { countRecipients } from "#plugins/market-index/owners/sql/countRecipients.ts";
import { staleRecipients } from "#plugins/market-index/owners/sql/staleRecipients.ts";

/**
 * Makes a job that counts recipients where no better source knows the owners, the most active
 * collections first. Apart from the lanes and for a fraction of the time, so that no new data waits
 * for it.
 */
export function recipientsJob({ db, clock }: { db: Database; clock: Clock }): Job {
	return {
		name: "market-index.recipients",
		schedule: { everyMs: RECIPIENTS_EVERY_MS },
		lock: "cluster",
		timeoutMs: RECIPIENTS_EVERY_MS,
		async run({ signal }) {
			const endsAtMs = clock.nowMs() + RECIPIENTS_BUSY_MS;
			for (const id of await staleRecipients(db, RECIPIENTS_COLLECTIONS_MAX)) {
				if (signal.aborted || clock.nowMs() > endsAtMs) return;
				await countRecipients(db, id);
			}
		},
	};
}
