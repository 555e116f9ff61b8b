// Sends posts and messages, finds them again, subscribes the webhook, and reads X's usage.

import { z } from "zod";
import type { Used } from "#plugins/social/budgets.ts";
import { socialFault } from "#plugins/social/faults.ts";
import { LOOK_PAGE_MAX, type SocialConfig } from "#plugins/social/limits.ts";
import type { XAnswer, XWindow } from "#plugins/social/x/callX.ts";
import { type Asked, faultOf, isUnasked, type X } from "#plugins/social/x/createX.ts";

/** The result of sending a text. After `unknown` X may have it: it is never repeated. */
export type Said =
	| { kind: "sent"; id: string; window: XWindow | null }
	| { kind: "refused"; reason: string }
	| { kind: "limited"; untilMs: number; window: XWindow | null; isUnpaid?: boolean }
	| { kind: "unsent"; reason: string }
	| { kind: "unknown"; detail: string };

type Subscribed = {
	/** True where a subscription existed before. */
	alreadySubscribed: boolean;
	/** The one of X's two interfaces that was used. */
	interface: "activity" | "account_activity";
};

type WantedMessage = { to: string; text: string; afterId: string; used: Used };

/** X refuses a text that the account posted recently, to anybody. */
export const DUPLICATE = "duplicate";

const id = z.string().regex(/^\d{1,20}$/);
const posted = z.looseObject({ data: z.looseObject({ id }) });
const messaged = z.looseObject({ data: z.looseObject({ dm_event_id: id }) });

const ownPosts = z.looseObject({
	data: z
		.array(
			z.looseObject({
				id,
				referenced_tweets: z.array(z.looseObject({ type: z.string(), id: z.string() })).optional(),
			}),
		)
		.default([]),
});

const ownMessages = z.looseObject({
	data: z
		.array(z.looseObject({ id, text: z.string().optional(), sender_id: z.string().optional() }))
		.default([]),
});

/** The subscribed events. Answers to the bot's posts that do not mention it are no commands. */
const EVENT_TYPES = ["post.mention.create", "dm.received"] as const;

/** X's words, and its codes, for a subscription that exists already. */
const ALREADY = /already|duplicate|exists/i;

const usage = z.looseObject({
	data: z.looseObject({
		project_usage: z.coerce.number().optional(),
		project_cap: z.coerce.number().optional(),
		cap_reset_day: z.coerce.number().optional(),
	}),
});

/** Posts a text, as a reply to a post or by itself; returns the result. */
export async function postOnX(
	x: X,
	{ text, replyTo }: { text: string; replyTo: string | null },
): Promise<Said> {
	const asked: Asked = {
		as: "user",
		use: (v2) => (replyTo === null ? v2.tweet(text) : v2.reply(text, replyTo)),
	};
	return await say(x, asked, (json) => posted.safeParse(json).data?.data.id);
}

/** Sends a text to an account by direct message; returns the result. */
export async function messageOnX(x: X, { text, to }: { text: string; to: string }): Promise<Said> {
	const asked: Asked = { as: "account", use: (v2) => v2.sendDmToParticipant(to, { text }) };
	return await say(x, asked, (json) => messaged.safeParse(json).data?.data.dm_event_id);
}

/** Returns the ids of the bot's own replies to a post among its newest posts, oldest first. */
export async function findPosts(
	x: X,
	{ replyTo, used }: { replyTo: string; used: Used },
): Promise<string[]> {
	const botId = await x.botId();
	const options = {
		since_id: replyTo,
		max_results: LOOK_PAGE_MAX,
		"tweet.fields": "referenced_tweets",
	};
	const { data } = await x.read(
		{ as: "user", use: (v2) => v2.userTimeline(botId, options) },
		ownPosts,
	);
	used(data.map((one) => `post:${one.id}`));
	return data
		.filter(({ referenced_tweets }) =>
			referenced_tweets?.some((one) => one.type === "replied_to" && one.id === replyTo),
		)
		.map((one) => one.id)
		.sort(byAge);
}

/**
 * Returns ids of the bot's messages to an account with this text and after that id, oldest first. X
 * rewrites links, so they are not compared.
 */
export async function findMessages(
	x: X,
	{ to, text, afterId, used }: WantedMessage,
): Promise<string[]> {
	const botId = await x.botId();
	const options = {
		max_results: LOOK_PAGE_MAX,
		"dm_event.fields": "sender_id,text,created_at",
	};
	const { data } = await x.read(
		{ as: "account", use: (v2) => v2.listDmEventsWithParticipant(to, options) },
		ownMessages,
	);
	used(data.map((one) => `dm:${one.id}`));
	const wanted = withoutLinks(text);
	return data
		.filter(({ sender_id }) => sender_id === botId)
		.filter((one) => withoutLinks(one.text ?? "") === wanted && BigInt(one.id) > BigInt(afterId))
		.map((one) => one.id)
		.sort(byAge);
}

function byAge(one: string, other: string): number {
	return BigInt(one) < BigInt(other) ? -1 : 1;
}

/**
 * Subscribes the webhook to texts for the bot: by X's activity interface, or by the older one where
 * X does not offer that to this app. Repeating it changes nothing.
 */
export async function subscribe(
	x: X,
	config: SocialConfig,
	nowMs: () => number,
): Promise<Subscribed> {
	const webhookId = config.SOCIAL_WEBHOOK_ID;
	if (webhookId === undefined) throw socialFault.subscriptionMissing();
	const me = await x.me();
	let made = 0;
	for (const type of EVENT_TYPES) {
		const body = {
			event_type: type,
			filter: { user_id: me.id },
			tag: "tapeline",
			webhook_id: webhookId,
		};
		// The library knows no path of this interface.
		const use: Asked["use"] = (v2) => v2.post("activity/subscriptions", body);
		const answer = await x.ask({ as: "user", use });
		if (isAlready(answer)) continue;
		if (answer.kind === "read") made++;
		else if (made === 0 && isNotForUs(answer)) return await subscribeOldWay(x, webhookId, nowMs);
		else throw faultOf(answer, nowMs());
	}
	return { alreadySubscribed: made === 0, interface: "activity" };
}

/** Reads X's own count of the month's reads. */
export async function readUsage(x: X) {
	const { data } = await x.read({ as: "app", use: (v2) => v2.usage() }, usage);
	return {
		posts: data.project_usage ?? null,
		postsMax: data.project_cap ?? null,
		resetsOnDay: data.cap_reset_day ?? null,
	};
}

async function say(x: X, asked: Asked, idOf: (json: unknown) => string | undefined): Promise<Said> {
	let answer: XAnswer;
	try {
		answer = await x.ask(asked);
	} catch (error) {
		// Thrown before anything was sent.
		if (isUnasked(error)) return { kind: "unsent", reason: error.code };
		throw error;
	}
	switch (answer.kind) {
		case "read": {
			const sent = idOf(answer.json);
			if (sent !== undefined) return { kind: "sent", id: sent, window: answer.window };
			return { kind: "unknown", detail: "an answer without an id" };
		}
		case "refused":
			// The credential, and not the text: nothing was done, and an operator may mend it.
			if (answer.status === 401) return { kind: "unsent", reason: "http_401" };
			return { kind: "refused", reason: isDuplicate(answer) ? DUPLICATE : `http_${answer.status}` };
		case "limited":
			return answer;
		case "unsent":
			return { kind: "unsent", reason: "x_unreachable" };
		default:
			return answer;
	}
}

/** Matches X's answer "You are not allowed to create a Tweet with duplicate content." */
function isDuplicate({ status, detail }: { status: number; detail: string }): boolean {
	return status === 403 && /duplicate content/i.test(detail);
}

function withoutLinks(text: string): string {
	return text
		.replace(/https?:\/\/\S+/g, "")
		.replace(/\s+/g, " ")
		.trim();
}

function isAlready(answer: XAnswer): boolean {
	return answer.kind === "refused" && (answer.status === 409 || ALREADY.test(answer.detail));
}

/** Returns true if the app has no access to the interface, or X has removed it. */
function isNotForUs(answer: XAnswer): boolean {
	return answer.kind === "refused" && [403, 404, 410].includes(answer.status);
}

async function subscribeOldWay(x: X, webhookId: string, nowMs: () => number): Promise<Subscribed> {
	const path = "account_activity/webhooks/:id/subscriptions/all";
	const use: Asked["use"] = (v2) => v2.post(path, {}, { params: { id: webhookId } });
	const answer = await x.ask({ as: "account", use });
	const alreadySubscribed = isAlready(answer);
	if (!alreadySubscribed && answer.kind !== "read") throw faultOf(answer, nowMs());
	return { alreadySubscribed, interface: "account_activity" };
}
