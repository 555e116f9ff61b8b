// Deletes old rows, and posts the market radar.

import { createHash } from "node:crypto";
import type { Agent } from "#agent/contract.ts";
import type { Core } from "#core/plugin/Core.ts";
import type { Job } from "#core/schedule.ts";
import { MINUTE_MS } from "#core/time.ts";
import {
	CONTACTS_KEPT_MS,
	EVENTS_KEPT_MS,
	PRUNE_EVERY_MS,
	PRUNE_ROWS_MAX,
	RADAR_KEPT_MS,
	READ_MONTHS_KEPT_MS,
	UNLINKED_KEPT_MS,
} from "#plugins/social/limits.ts";
import type { SocialConfig } from "#plugins/social/socialConfig.ts";
import { pruneContacts } from "#plugins/social/sql/contacts.ts";
import { pruneEvents } from "#plugins/social/sql/events.ts";
import {
	endRadarPost,
	hasRadarPost,
	pruneRadarPosts,
	pruneReads,
	takeRadarPost,
} from "#plugins/social/sql/reads.ts";
import { pruneUnlinked } from "#plugins/social/sql/replies.ts";
import type { X } from "#plugins/social/x/createX.ts";
import { postOnX } from "#plugins/social/x/say.ts";

export type RadarDeps = {
	core: Pick<Core, "db" | "clock" | "log">;
	config: SocialConfig;
	agent: Agent;
	x: X;
};

/** The radar's question, which needs no profile. */
const QUESTION = "trending";

/** Returns the job that deletes rows after their retention time. */
export function pruneJob({ db }: Pick<Core, "db">): Job {
	return {
		name: "social.prune",
		schedule: { everyMs: PRUNE_EVERY_MS },
		lock: "cluster",
		timeoutMs: 10 * MINUTE_MS,
		async run({ signal }) {
			await inSteps(signal, () => pruneEvents(db, EVENTS_KEPT_MS));
			await inSteps(signal, () => pruneUnlinked(db, UNLINKED_KEPT_MS));
			await inSteps(signal, () => pruneContacts(db, CONTACTS_KEPT_MS));
			await inSteps(signal, () => pruneRadarPosts(db, RADAR_KEPT_MS));
			await pruneReads(db, READ_MONTHS_KEPT_MS);
		},
	};
}

/**
 * Returns the job that posts what is trending; none unless both switches are on. A span of time has
 * at most one post, a text is posted once, and an uncertain post is not repeated.
 */
export function radarJobs({ core, config, agent, x }: RadarDeps): Job[] {
	const { ENABLE_PROACTIVE_POSTS: mayPost, ENABLE_TREND_POSTS: isRadarOn } = config;
	if (!mayPost || !isRadarOn) return [];
	const { db, clock, log } = core;
	const spanMs = config.SOCIAL_RADAR_MINUTES * MINUTE_MS;
	return [
		{
			name: "social.radar",
			schedule: { everyMs: MINUTE_MS },
			lock: "cluster",
			timeoutMs: MINUTE_MS,
			async run({ signal }) {
				const slot = Math.floor(clock.nowMs() / spanMs);
				if (await hasRadarPost(db, slot)) return;
				const reply = await agent.handle({
					text: QUESTION,
					caller: { channel: "social", profileId: null, authority: "none" },
					idempotencyKey: null,
					signal,
				});
				if (reply.kind !== "done" || !hasRows(reply.data)) return;
				const digest = createHash("sha256").update(withoutAge(reply.line)).digest();
				const at = new Date(clock.nowMs());
				if (!(await takeRadarPost(db, { slot, digest, at }))) return;
				const said = await postOnX(x, { text: reply.line, replyTo: null });
				const postId = said.kind === "sent" ? said.id : null;
				await endRadarPost(db, { slot, state: said.kind, postId });
				if (postId === null) log.warn("the market radar was not posted", { outcome: said.kind });
			},
		},
	];
}

async function inSteps(signal: AbortSignal, prune: () => Promise<number>): Promise<void> {
	while (!signal.aborted && (await prune()) >= PRUNE_ROWS_MAX);
}

/** Returns false for an empty radar, which is not posted. */
function hasRows(data: unknown): boolean {
	if (typeof data !== "object" || data === null || !("rows" in data)) return false;
	return Array.isArray(data.rows) && data.rows.length > 0;
}

function withoutAge(line: string): string {
	return line.replace(/ · \d+ (?:s|min|h|d) ago$/, "");
}
