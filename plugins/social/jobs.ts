// Deletes old rows, posts the market radar, and polls X for what no webhook delivered.

import { createHash } from "node:crypto";
import { z } from "zod";
import type { Agent } from "#agent/contract.ts";
import { Fault } from "#core/fault.ts";
import type { Core } from "#core/plugin/Core.ts";
import type { Job } from "#core/schedule.ts";
import { MINUTE_MS, SECOND_MS } from "#core/time.ts";
import type { ReadBudget } from "#plugins/social/budgets.ts";
import type { Receive } from "#plugins/social/inbox/Inbox.ts";
import { writtenAtMs } from "#plugins/social/inbox/judgeSpeaker.ts";
import {
	CONTACTS_KEPT_MS,
	EVENT_AGE_MAX_MS,
	EVENT_AHEAD_MAX_MS,
	EVENTS_KEPT_MS,
	POLL_FIRST_PAGE,
	POLL_PAGE_MAX,
	POLL_PAGES_MAX,
	PRUNE_EVERY_MS,
	PRUNE_ROWS_MAX,
	RADAR_KEPT_MS,
	READ_MONTHS_KEPT_MS,
	type SocialConfig,
	UNLINKED_KEPT_MS,
} from "#plugins/social/limits.ts";
import { pruneContacts } from "#plugins/social/sql/contacts.ts";
import { movePosition, pruneEvents, readPosition } from "#plugins/social/sql/events.ts";
import {
	endRadarPost,
	hasRadarPost,
	pruneRadarPosts,
	pruneReads,
	takeRadarPost,
} from "#plugins/social/sql/reads.ts";
import { pruneUnlinked } from "#plugins/social/sql/replies.ts";
import type { Asked, X } from "#plugins/social/x/createX.ts";
import { readPolledMessages, readPosts, type Written } from "#plugins/social/x/readActivity.ts";
import { postOnX } from "#plugins/social/x/say.ts";

export type RadarDeps = {
	core: Pick<Core, "db" | "clock" | "log">;
	config: SocialConfig;
	agent: Agent;
	x: X;
};

type PollDeps = {
	core: Pick<Core, "db" | "clock" | "log">;
	config: SocialConfig;
	x: X;
	reads: ReadBudget;
	receive: Receive;
};

/** Says what is polled: how X is asked, and how its answer is read. */
type Source = {
	name: "mentions" | "messages";
	/** The number of items that X may bill for one text. */
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

/** The radar's question, which needs no profile. */
const QUESTION = "trending";

type Page = z.output<typeof page>;

/** X allows fifteen listings of messages in 15 minutes; this uses half. */
const MESSAGES_EVERY_MS = 2 * MINUTE_MS;
const TIMEOUT_MS = 30 * SECOND_MS;

const page = z.looseObject({
	data: z.array(z.unknown()).max(1_000).default([]),
	includes: z.looseObject({ users: z.array(z.unknown()).optional() }).optional(),
	meta: z.looseObject({ next_token: z.string().max(1_000).optional() }).optional(),
});

const withId = z.looseObject({ id: z.string().regex(/^\d{1,20}$/) });

const mentions: Source = {
	name: "mentions",
	// Each comes with its author.
	itemsPerText: 2,
	ask: ({ botId, newestId, ...rest }) => ({
		as: "user",
		use: (v2) =>
			v2.userMentionTimeline(botId, {
				...(newestId !== null && { since_id: newestId }),
				...pageQuery(rest),
				"tweet.fields":
					"author_id,display_text_range,edit_history_tweet_ids,referenced_tweets," +
					"in_reply_to_user_id,conversation_id,note_tweet",
				// Requests the label of automated accounts.
				expansions: "author_id",
				"user.fields": "affiliation",
			}),
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
		use: (v2) =>
			v2.listDmEvents({
				...pageQuery(given),
				event_types: "MessageCreate",
				"dm_event.fields": "sender_id,text,dm_conversation_id,event_type",
			}),
	}),
	itemsOf: ({ data }) => idsOf(data).map((id) => `dm:${id}`),
	read: ({ data }, botId) => readPolledMessages(data, botId),
};

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
	let isLast = false;
	for (let n = 0; n < POLL_PAGES_MAX && !isLast; n++) {
		const size = n === 0 ? POLL_FIRST_PAGE : POLL_PAGE_MAX;
		const read = await readPage(deps, source, { botId, newestId, token, size, signal });
		const isKnown = (id: string) => newestId !== null && BigInt(id) <= BigInt(newestId);
		const ids = idsOf(read.data);
		const fresh = source.read(read, botId).filter(({ id }) => !isKnown(id));
		await receive(fresh, read.data.length - ids.length);
		all.push(...ids);
		token = read.meta?.next_token;
		// X knows no position of messages: what is older than a known one was read before.
		isLast = token === undefined || ids.some((id) => isKnown(id) || writtenAtMs(id) < oldestMs);
	}
	if (!isLast) core.log.error("X has more new texts than are polled at once", { of: source.name });
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
	return { ...(token !== undefined && { pagination_token: token }), max_results: size };
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
	// An id of the future would hide all that is written before that time.
	const latestMs = clock.nowMs() + EVENT_AHEAD_MAX_MS;
	const newest = ids.reduce<bigint>((most, id) => {
		return BigInt(id) > most && writtenAtMs(id) <= latestMs ? BigInt(id) : most;
	}, 0n);
	if (newest === 0n) return;
	await movePosition(db, { name, newestId: String(newest), at: new Date(clock.nowMs()) });
}

function idsOf(data: readonly unknown[]): string[] {
	return data.flatMap((one) => withId.safeParse(one).data?.id ?? []);
}
