import { readHead } from "#core/audit/sql/readHead.ts";
import type { Database } from "#core/db/Database.ts";
import type { Log } from "#core/log/Log.ts";
import type { Job } from "#core/schedule/Job.ts";

const TIMEOUT_MS = 30_000;

/**
 * Exports the audit log's head into the service's log, which is kept elsewhere: who rewrites the
 * table would have to rewrite that too.
 */
export function auditHeadJob({ db, log }: { db: Database; log: Log }): Job {
	return {
		name: "core.audit-head",
		// At the hour, and not an hour after a start: whoever lives then does it.
		schedule: { cron: "0 * * * *" },
		lock: "cluster",
		timeoutMs: TIMEOUT_MS,
		async run() {
			const { seq, hash } = await readHead(db);
			log.info("audit head", { head: `${seq}:${hash}` });
		},
	};
}
