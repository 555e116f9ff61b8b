// Polls X for mentions and messages that no webhook delivered.

import { z } from "zod";
import { Fault } from "#core/fault.ts";
import type { Core } from "#core/plugin/Core.ts";
import type { Job } from "#core/schedule.ts";
import { MINUTE_MS, SECOND_MS } from "#core/time.ts";
import type { Receive } from "#plugins/social/inbox/Inbox.ts";
import { writtenAtMs } from "#plugins/social/inbox/judgeSpeaker.ts";
import {
	EVENT_AGE_MAX_MS,
	POLL_FIRST_PAGE,
	POLL_PAGE_MAX,
	POLL_PAGES_MAX,
} from "#plugins/social/limits.ts";
import type { ReadBudget } from "#plugins/social/readBudget.ts";
import type { SocialConfig } from "#plugins/social/socialConfig.ts";
import { movePosition, readPosition } from "#plugins/social/sql/events.ts";
import type { Asked, X } from "#plugins/social/x/createX.ts";
import { readPolledMessages, readPosts, type Written } from "#plugins/social/x/readActivity.ts";

type PollDeps = {
	core: Pick<Core, "db" | "clock" | "log">;
	config: SocialConfig;
	x: X;
	reads: ReadBudget;
	receive: Receive;
};

type Page = z.output<typeof page>;

/** What is polled: how X is asked, and how its answer is read. */
type Source = {
	name: "mentions" | "messages";
	/** How many items X may bill for one text. */
	itemsPerText: number;
	ask(given: {
		botId: string;
		newestId: string | null;
		token: string | undefined;
		size: number;
	}): Asked;
	itemsOf(page: Page): string[];
	read(page: Page, botId: string): Written[];
};

/** X allows fifteen listings of messages in 15 minutes; this uses half. */
const MESSAGES_EVERY_MS = 2 * MINUTE_MS;
const TIMEOUT_MS = 30 * SECOND_MS;

const page = z.looseObject({
	data: z.array(z.unknown()).max(1_000).default([]),
	includes: z.looseObject({ users: z.array(z.unknown()).optional() }).optional(),
	meta: z.looseObject({ next_token: z.string().max(1_000).optional() }).optional(),
});

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
		job("poll-mentions", mentionsEveryMs, ({ signal }) => poll(deps, mentions, signal)),
		job("poll-messages", Math.max(MESSAGES_EVERY_MS, mentionsEveryMs), ({ signal }) =>
			poll(deps, messages, signal),
		),
	];
}

const mentions: Source = {
	name: "mentions",
	// Each comes with its author.
	itemsPerText: 2,
	ask: ({ botId, newestId, ...rest }) => ({
		as: "user",
		path: `/2/users/${botId}/mentions`,
		query: {
			since_id: newestId ?? undefined,
			...pageQuery(rest),
			"tweet.fields":
				"author_id,display_text_range,edit_history_tweet_ids,referenced_tweets," +
				"in_reply_to_user_id,conversation_id,note_tweet",
			// Requests the label of automated accounts.
			expansions: "author_id",
			"user.fields": "affiliation",
		},
	}),
	itemsOf: ({ data, includes }) => [
		...idsOf(data).map((id) => `post:${id}`),
		...idsOf(includes?.users ?? []).map((id) => `user:${id}`),
	],
	read: ({ data, includes }, botId) =>
		readPosts(data, { accounts: includes?.users ?? [], forId: botId }),
};

const messages: Source = {
	name: "messages",
	itemsPerText: 1,
	ask: (given) => ({
		as: "account",
		path: "/2/dm_events",
		query: {
			...pageQuery(given),
			event_types: "MessageCreate",
			"dm_event.fields": "sender_id,text,dm_conversation_id,event_type",
		},
	}),
	itemsOf: ({ data }) => idsOf(data).map((id) => `dm:${id}`),
	read: ({ data }, botId) => readPolledMessages(data, botId),
};

/**
 * Reads one source from the newest text back to the newest that is known, or to texts that are too
 * old to be answered. The first page is small: mostly nothing is new, and X bills what it lists.
 */
async function poll(deps: PollDeps, source: Source, signal: AbortSignal): Promise<void> {
	const { core, x, receive } = deps;
	const botId = await x.botId();
	const newestId = await readPosition(core.db, source.name);
	const oldestMs = core.clock.nowMs() - EVENT_AGE_MAX_MS;
	const all: string[] = [];
	let token: string | undefined;
	for (let n = 0; n < POLL_PAGES_MAX; n++) {
		const size = n === 0 ? POLL_FIRST_PAGE : POLL_PAGE_MAX;
		const read = await readPage(deps, source, { botId, newestId, token, size, signal });
		const isKnown = (id: string) => newestId !== null && BigInt(id) <= BigInt(newestId);
		await receive(source.read(read, botId).filter(({ id }) => !isKnown(id)));
		const ids = idsOf(read.data);
		all.push(...ids);
		token = read.meta?.next_token;
		// X knows no position of messages: what is older than a known one was read before.
		const isLast = ids.some((id) => isKnown(id) || writtenAtMs(id) < oldestMs);
		if (token === undefined || isLast) break;
	}
	await advance(core, source.name, all);
}

function readPage(
	{ x, reads }: PollDeps,
	source: Source,
	{ signal, ...asked }: Parameters<Source["ask"]>[0] & { signal: AbortSignal },
): Promise<Page> {
	return reads.spend(source.itemsPerText * asked.size, async (used) => {
		const answer = await x.read({ ...source.ask(asked), signal }, page);
		used(source.itemsOf(answer));
		return answer;
	});
}

function pageQuery({ token, size }: { token: string | undefined; size: number }) {
	return { pagination_token: token, max_results: size };
}

/**
 * Stores the position after the texts were stored: a crash in between reads them again, and they
 * are known then.
 */
async function advance(
	{ db, clock }: PollDeps["core"],
	name: string,
	ids: readonly string[],
): Promise<void> {
	const newest = ids.reduce<bigint>((most, id) => (BigInt(id) > most ? BigInt(id) : most), 0n);
	if (newest === 0n) return;
	await movePosition(db, { name, newestId: String(newest), at: new Date(clock.nowMs()) });
}

function idsOf(data: readonly unknown[]): string[] {
	return data.flatMap((one) => withId.safeParse(one).data?.id ?? []);
}
