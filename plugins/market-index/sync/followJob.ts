import type { Job } from "#core/schedule/Job.ts";
import type { SyncContext } from "#plugins/market-index/pace/SyncContext.ts";
import { FOLLOW_EVERY_MS, FOLLOWED_MAX } from "#plugins/market-index/sync/limits.ts";
import { followedSlugs } from "#plugins/market-index/sync/sql/followedSlugs.ts";

/**
 * Makes a job that tells the provider's stream which collections to follow. Each process has a
 * stream of its own, or none.
 */
export function followJob({ core, provider }: Pick<SyncContext, "core" | "provider">): Job {
	return {
		name: "market-index.follow",
		schedule: { everyMs: FOLLOW_EVERY_MS },
		lock: "process",
		timeoutMs: FOLLOW_EVERY_MS,
		async run() {
			if (!provider.isOn || provider.stream.state() === "off") return;
			const chainIds = core.indexed.map(({ chain }) => chain.id);
			const nowMs = core.clock.nowMs();
			provider.stream.follow(
				await followedSlugs(core.db, { chainIds, nowMs, limit: FOLLOWED_MAX }),
			);
		},
	};
}
