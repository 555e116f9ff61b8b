// Polls X for mentions and messages that no webhook delivered.

import { z } from "zod";
import { Fault } from "#core/fault.ts";
import type { Core } from "#core/plugin/Core.ts";
import type { Job } from "#core/schedule.ts";
import { MINUTE_MS, SECOND_MS } from "#core/time.ts";
import type { Receive } from "#plugins/social/inbox/Inbox.ts";
import { writtenAtMs } from "#plugins/social/inbox/think.ts";
import { EVENT_AGE_MAX_MS, POLL_PAGE_MAX, POLL_PAGES_MAX } from "#plugins/social/limits.ts";
import type { ReadBudget } from "#plugins/social/readBudget.ts";
import type { SocialConfig } from "#plugins/social/socialConfig.ts";
import { movePosition, readPosition } from "#plugins/social/sql/events.ts";
import type { X } from "#plugins/social/x/createX.ts";
import { readPolledMessages, readPosts } from "#plugins/social/x/readActivity.ts";

type PollDeps = {
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
	meta: z.looseObject({ next_token: z.string().max(1_000).optional() }).optional(),
});

type Page = z.output<typeof page> & { isLast?: boolean };

const withId = z.looseObject({ id: z.string().regex(/^\d{1,20}$/) });

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

async function pollMentions(deps: PollDeps, signal: AbortSignal) {
	const { core, x, reads, receive } = deps;
	const botId = await x.botId();
	const sinceId = await readPosition(core.db, "mentions");
	const data = await pagesOf(deps, async (pageToken) => {
		const read = await reads.spend(POLL_PAGE_MAX, async (used) => {
			const answer = await x.read(
				{
					as: "user",
					path: `/2/users/${botId}/mentions`,
					query: {
						since_id: sinceId ?? undefined,
						pagination_token: pageToken,
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
		await receive(readPosts(read.data, { accounts: read.includes?.users ?? [], forId: botId }));
		return read;
	});
	await advance(core, "mentions", data);
}

async function pollMessages(deps: PollDeps, signal: AbortSignal) {
	const { core, x, reads, receive } = deps;
	const botId = await x.botId();
	const newest = BigInt((await readPosition(core.db, "messages")) ?? "0");
	const data = await pagesOf(deps, async (pageToken) => {
		const read = await reads.spend(POLL_PAGE_MAX, async (used) => {
			const answer = await x.read(
				{
					as: "account",
					path: "/2/dm_events",
					query: {
						pagination_token: pageToken,
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
		const written = readPolledMessages(read.data, botId);
		const fresh = written.filter(({ id }) => BigInt(id) > newest);
		await receive(fresh);
		// X lists messages newest first, and knows no position: older pages were read before.
		return { ...read, isLast: fresh.length < written.length };
	});
	await advance(core, "messages", data);
}

/**
 * Reads pages, newest first, until one is the last, or has texts that are too old to be answered;
 * returns what all of them hold. After an outage there is more than a page.
 */
async function pagesOf(
	{ core }: PollDeps,
	read: (pageToken: string | undefined) => Promise<Page>,
): Promise<unknown[]> {
	const oldestMs = core.clock.nowMs() - EVENT_AGE_MAX_MS;
	const all: unknown[] = [];
	let token: string | undefined;
	for (let n = 0; n < POLL_PAGES_MAX; n++) {
		const { data, meta, isLast = false } = await read(token);
		all.push(...data);
		token = meta?.next_token;
		const isOld = idsOf(data).some((id) => writtenAtMs(id) < oldestMs);
		if (token === undefined || isLast || isOld) break;
	}
	return all;
}

/**
 * Stores the position after the texts were stored: a crash in between reads them again, and they
 * are known then.
 */
async function advance(
	{ db, clock }: PollDeps["core"],
	name: string,
	data: readonly unknown[],
): Promise<void> {
	const newest = idsOf(data).reduce<bigint>(
		(most, id) => (BigInt(id) > most ? BigInt(id) : most),
		0n,
	);
	if (newest === 0n) return;
	await movePosition(db, { name, newestId: String(newest), at: new Date(clock.nowMs()) });
}

function idsOf(data: readonly unknown[]): string[] {
	return data.flatMap((one) => withId.safeParse(one).data?.id ?? []);
}
