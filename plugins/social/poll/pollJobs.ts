import { z } from "zod";
import { Fault } from "#core/fault/Fault.ts";
import type { Core } from "#core/plugin/Core.ts";
import type { Job } from "#core/schedule/Job.ts";
import { MINUTE_MS, SECOND_MS } from "#core/time/units.ts";
import type { Receive } from "#plugins/social/inbox/receive.ts";
import { POLL_PAGE_MAX } from "#plugins/social/limits.ts";
import type { ReadBudget } from "#plugins/social/reads/createReadBudget.ts";
import type { SocialConfig } from "#plugins/social/socialConfig.ts";
import { movePosition, readPosition } from "#plugins/social/sql/positions.ts";
import type { X } from "#plugins/social/x/createX.ts";
import { readPolledMessages, readPosts } from "#plugins/social/x/readActivity.ts";

export type PollDeps = {
	core: Pick<Core, "db" | "clock" | "log">;
	config: SocialConfig;
	x: X;
	reads: ReadBudget;
	receive: Receive;
};

/** X allows fifteen listings of messages in 15 minutes; this uses half. */
const MESSAGES_EVERY_MS = 2 * MINUTE_MS;
const TIMEOUT_MS = 30 * SECOND_MS;

const page = z.looseObject({
	data: z.array(z.unknown()).max(1_000).default([]),
	includes: z.looseObject({ users: z.array(z.unknown()).optional() }).optional(),
});

/**
 * Returns the jobs that poll for mentions and messages that no webhook delivered. Texts from both
 * sources are handled once, by their ids.
 */
export function pollJobs(deps: PollDeps): Job[] {
	const job = (name: string, everyMs: number, run: Job["run"]): Job => ({
		...{ name: `social.${name}`, schedule: { everyMs }, lock: "cluster", timeoutMs: TIMEOUT_MS },
		async run(context) {
			try {
				await run(context);
			} catch (error) {
				// X may be away, or the month's reads used up, for long: a log line each time, no failed
				// job.
				if (!(error instanceof Fault)) throw error;
				deps.core.log.warn("X could not be polled", { what: name, code: error.code });
			}
		},
	});
	const mentionsEveryMs = deps.config.SOCIAL_POLL_SECONDS * SECOND_MS;
	return [
		job("poll-mentions", mentionsEveryMs, ({ signal }) => pollMentions(deps, signal)),
		job("poll-messages", Math.max(MESSAGES_EVERY_MS, mentionsEveryMs), ({ signal }) =>
			pollMessages(deps, signal),
		),
	];
}

async function pollMentions({ core, x, reads, receive }: PollDeps, signal: AbortSignal) {
	const me = await x.me();
	const sinceId = await readPosition(core.db, "mentions");
	const read = await reads.spend(POLL_PAGE_MAX, async (used) => {
		const answer = await x.read(
			{
				as: "user",
				path: `/2/users/${me.id}/mentions`,
				query: {
					since_id: sinceId ?? undefined,
					max_results: POLL_PAGE_MAX,
					"tweet.fields":
						"author_id,display_text_range,edit_history_tweet_ids,referenced_tweets," +
						"in_reply_to_user_id,conversation_id,note_tweet",
					// Requests the label of automated accounts.
					expansions: "author_id",
					"user.fields": "affiliation",
				},
				signal,
			},
			page,
		);
		used(answer.data.length + (answer.includes?.users?.length ?? 0));
		return answer;
	});
	const written = readPosts(read.data, read.includes?.users ?? []);
	await receive({ botId: me.id, written });
	await advance(core, "mentions", read.data);
}

async function pollMessages({ core, x, reads, receive }: PollDeps, signal: AbortSignal) {
	const me = await x.me();
	const newest = BigInt((await readPosition(core.db, "messages")) ?? "0");
	const { data } = await reads.spend(POLL_PAGE_MAX, async (used) => {
		const answer = await x.read(
			{
				as: "account",
				path: "/2/dm_events",
				query: {
					max_results: POLL_PAGE_MAX,
					event_types: "MessageCreate",
					"dm_event.fields": "sender_id,text,dm_conversation_id,event_type",
				},
				signal,
			},
			page,
		);
		used(answer.data.length);
		return answer;
	});
	const written = readPolledMessages(data).filter(({ id }) => BigInt(id) > newest);
	await receive({ botId: me.id, written });
	await advance(core, "messages", data);
}

const withId = z.looseObject({ id: z.string().regex(/^\d{1,20}$/) });

/**
 * Stores the position after the texts were stored: a crash in between reads them again, and they
 * are known then.
 */
async function advance(
	{ db, clock }: PollDeps["core"],
	name: string,
	data: readonly unknown[],
): Promise<void> {
	const ids = data.flatMap((one) => withId.safeParse(one).data?.id ?? []);
	const newest = ids.reduce<bigint>((most, id) => (BigInt(id) > most ? BigInt(id) : most), 0n);
	if (newest === 0n) return;
	await movePosition(db, { name, newestId: String(newest), at: new Date(clock.nowMs()) });
}
