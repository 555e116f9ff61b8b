import type { Clock } from "#core/clock/Clock.ts";
import type { Outbox } from "#core/outbox/createOutbox.ts";
import type { Job } from "#core/schedule/Job.ts";

/** How long a client may be away and still resume. */
const FRAMES_KEPT_MS = 3_600_000;

/** Deletes frames that nobody can resume from any more. */
export function pruneFramesJob(outbox: Outbox, clock: Clock): Job {
	return {
		name: "core.prune-frames",
		schedule: { everyMs: 60_000 },
		lock: "cluster",
		timeoutMs: 30_000,
		async run() {
			await outbox.prune(clock.nowMs() - FRAMES_KEPT_MS);
		},
	};
}
