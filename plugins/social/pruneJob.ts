import type { Core } from "#core/plugin/Core.ts";
import type { Job } from "#core/schedule/Job.ts";
import { MINUTE_MS } from "#core/time/units.ts";
import {
	CONTACTS_KEPT_MS,
	EVENTS_KEPT_MS,
	PRUNE_EVERY_MS,
	PRUNE_ROWS_MAX,
	RADAR_KEPT_MS,
	READ_MONTHS_KEPT_MS,
	UNLINKED_KEPT_MS,
} from "#plugins/social/limits.ts";
import { pruneContacts } from "#plugins/social/sql/contacts.ts";
import { pruneEvents } from "#plugins/social/sql/events.ts";
import { pruneRadarPosts } from "#plugins/social/sql/radarPosts.ts";
import { pruneReads } from "#plugins/social/sql/reads.ts";
import { pruneUnlinked } from "#plugins/social/sql/unlinkedTrades.ts";

/** Returns the job that deletes rows after their retention time. */
export function pruneJob({ db, clock }: Pick<Core, "db" | "clock">): Job {
	return {
		name: "social.prune",
		schedule: { everyMs: PRUNE_EVERY_MS },
		lock: "cluster",
		timeoutMs: 10 * MINUTE_MS,
		async run({ signal }) {
			const ago = (ms: number) => new Date(clock.nowMs() - ms);
			await inSteps(signal, () => pruneEvents(db, ago(EVENTS_KEPT_MS)));
			await inSteps(signal, () => pruneUnlinked(db, ago(UNLINKED_KEPT_MS)));
			await inSteps(signal, () => pruneContacts(db, ago(CONTACTS_KEPT_MS)));
			await inSteps(signal, () => pruneRadarPosts(db, ago(RADAR_KEPT_MS)));
			await pruneReads(db, ago(READ_MONTHS_KEPT_MS));
		},
	};
}

async function inSteps(signal: AbortSignal, prune: () => Promise<number>): Promise<void> {
	while (!signal.aborted && (await prune()) >= PRUNE_ROWS_MAX);
}
