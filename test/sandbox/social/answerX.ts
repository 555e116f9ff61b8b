// Answers the routes of X's API that the bot uses.

import { z } from "zod";
import {
	type Account,
	type Message,
	renderAccount,
	renderPost,
	type Timeline,
} from "./createTimeline.ts";
import type { CallerKind, Meter } from "./SocialFault.ts";

export type XOffice = {
	timeline: Timeline;
	bot: Account;
	meter: Meter;
	webhookId: string;
	/** Holds the subscribed event types; `all` for the older interface. */
	subscriptions: Set<string>;
	/** Returns whether this app may use the newer interface. */
	hasActivity(): boolean;
};

type Route = {
	method: string;
	path: RegExp;
	as: readonly CallerKind[];
	answer(given: Given): Response;
};
type Given = { office: XOffice; path: string[]; query: URLSearchParams; body: unknown };

type Listing = { next: string | undefined; includes?: object };

const postBody = z.strictObject({
	text: z.string().min(1).max(25_000),
	reply: z.strictObject({ in_reply_to_tweet_id: z.string() }).optional(),
});
const messageBody = z.strictObject({ text: z.string().min(1).max(10_000) });
const subscriptionBody = z.looseObject({
	event_type: z.string(),
	filter: z.looseObject({ user_id: z.string() }),
	webhook_id: z.string(),
});

/** The routes of X's version 2 that the bot uses. */
export const routes: readonly Route[] = [
	{
		...{ method: "GET", path: /^\/2\/users\/me$/, as: ["user", "account"] },
		answer({ office: { bot, meter } }) {
			meter.noteRead("user_read", [bot.id]);
			return Response.json({ data: { ...renderAccount(bot), name: "Tapeline" } });
		},
	},
	{ method: "POST", path: /^\/2\/tweets$/, as: ["user", "account"], answer: post },
	{
		method: "POST",
		path: /^\/2\/dm_conversations\/with\/(\d+)\/messages$/,
		as: ["user", "account"],
		answer: message,
	},
	{
		method: "GET",
		path: /^\/2\/users\/(\d+)\/mentions$/,
		as: ["user", "account"],
		answer: mentions,
	},
	{
		method: "GET",
		path: /^\/2\/users\/(\d+)\/tweets$/,
		as: ["app", "user", "account"],
		answer: own,
	},
	{ method: "GET", path: /^\/2\/dm_events$/, as: ["user", "account"], answer: events },
	{
		method: "GET",
		path: /^\/2\/dm_conversations\/with\/(\d+)\/dm_events$/,
		as: ["user", "account"],
		answer: events,
	},
	{
		method: "POST",
		path: /^\/2\/activity\/subscriptions$/,
		as: ["user", "account"],
		answer: subscribe,
	},
	{
		method: "POST",
		path: /^\/2\/account_activity\/webhooks\/(\d+)\/subscriptions\/all$/,
		as: ["account", "user"],
		answer({ office, path: [webhookId] }) {
			if (webhookId !== office.webhookId) return refusal(404, "No such webhook.");
			if (office.subscriptions.has("all")) return refusal(409, "Subscription already exists.");
			office.subscriptions.add("all");
			return Response.json({ data: { subscribed: true } });
		},
	},
	{
		...{ method: "GET", path: /^\/2\/usage\/tweets$/, as: ["app"] },
		answer: ({ office: { meter } }) => {
			const { items } = meter.read();
			const read = (items["post_read"] ?? 0) + (items["owned_read"] ?? 0);
			return Response.json({
				data: { project_usage: String(read), project_cap: "3000000", cap_reset_day: 14 },
			});
		},
	},
];

export function refusal(status: number, detail: string): Response {
	return Response.json({ title: "Refused", detail, type: "about:blank", status }, { status });
}

/** Renders the conversation as an HTML page, with a form to write as one of the users. */
export function renderPage({ timeline, bot }: { timeline: Timeline; bot: Account }): string {
	const nameOf = (id: string) => `@${timeline.account(id)?.username ?? id}`;
	const rows = [
		...timeline.posts.map((one) => ({
			...{ id: one.id, who: nameOf(one.authorId), text: one.text, kind: "post" },
			isBot: one.authorId === bot.id,
		})),
		...timeline.messages.map((one) => ({
			...{ id: one.id, text: one.text, kind: "message" },
			who: `${nameOf(one.senderId)} to ${nameOf(one.recipientId)}`,
			isBot: one.senderId === bot.id,
		})),
	]
		.sort((one, other) => (BigInt(one.id) < BigInt(other.id) ? 1 : -1))
		.slice(0, 200);
	const people = timeline
		.accounts()
		.filter(({ id }) => id !== bot.id)
		.map(({ username }) => `<option>${safe(username)}</option>`);
	return `<!doctype html><html lang="en"><meta charset="utf-8"><title>X, in the sandbox</title>
<meta name="viewport" content="width=device-width"><meta http-equiv="refresh" content="5">
<style>body{font:16px/1.4 system-ui;max-width:42rem;margin:2rem auto;padding:0 1rem}
article{border:1px solid #8884;border-radius:.5rem;padding:.6rem;margin:.5rem 0}
article.bot{border-left:.3rem solid #1a7f5a}article.message{background:#8881}
form{display:flex;gap:.4rem;flex-wrap:wrap}input[name=text]{flex:1;min-width:14rem}</style>
<h1>X, in the sandbox</h1>
<form method="post" action="/_sandbox/say">
<label>As <select name="by">${people.join("")}</select></label>
<input name="text" aria-label="Text" value="@${safe(bot.username)} floor kiln-folk" required>
<button name="via" value="post">Post</button> <button name="via" value="dm">Message</button></form>
${rows
	.map(
		({ who, text, kind, isBot }) =>
			`<article class="${kind}${isBot ? " bot" : ""}"><b>${safe(who)}</b> <small>${kind}</small><br>${linked(text)}</article>`,
	)
	.join("\n")}`;
}

function safe(text: string): string {
	return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

/** Makes links clickable; the service sends some. */
function linked(text: string): string {
	return safe(text).replace(/https?:\/\/[^\s&]+/g, (url) => `<a href="${url}">${url}</a>`);
}

/** Posts for the bot. X allows a reply only to a post that mentions the bot. */
function post({ office: { timeline, bot, meter }, body }: Given): Response {
	const read = postBody.safeParse(body).data;
	if (!read) return refusal(400, "One or more parameters to your request was invalid.");
	const replyTo = read.reply?.in_reply_to_tweet_id ?? null;
	const parent = timeline.posts.find(({ id }) => id === replyTo);
	if (replyTo !== null) {
		const isSummoned = parent?.text.toLowerCase().includes(`@${bot.username.toLowerCase()}`);
		if (!isSummoned) return refusal(403, "Reply to this conversation is not allowed.");
	}
	if (timeline.isTwice(bot, read.text)) {
		return refusal(403, "You are not allowed to create a Tweet with duplicate content.");
	}
	const hasLink = /https?:\/\//.test(read.text);
	meter.note(replyTo !== null ? "summoned_reply" : hasLink ? "post_with_link" : "post");
	const { id, text } = timeline.post({ by: bot, text: read.text, replyTo });
	return Response.json({ data: { id, text } }, { status: 201 });
}

function message({ office: { timeline, bot, meter }, path, body }: Given): Response {
	const read = messageBody.safeParse(body).data;
	const to = timeline.account(path[0] ?? "");
	if (!read || !to) return refusal(400, "One or more parameters to your request was invalid.");
	const wrote = timeline.messages.some(({ senderId }) => senderId === to.id);
	if (!wrote) return refusal(403, "You cannot send a Direct Message to this user.");
	meter.note("message");
	const { id } = timeline.message({ by: bot, to, text: read.text });
	return Response.json(
		{ data: { dm_event_id: id, dm_conversation_id: `${bot.id}-${to.id}` } },
		{ status: 201 },
	);
}

function mentions({ office, query }: Given): Response {
	const { timeline, bot, meter } = office;
	const name = `@${bot.username.toLowerCase()}`;
	const found = timeline.posts.filter(
		({ authorId, text }) => authorId !== bot.id && text.toLowerCase().includes(name),
	);
	const { page, next } = pageOf(found, query);
	meter.noteRead("owned_read", idsOf(page));
	const authors = new Set(page.map(({ authorId }) => authorId));
	const users = [...authors].flatMap((id) => timeline.account(id) ?? []).map(renderAccount);
	if (query.get("expansions")) meter.noteRead("user_read", [...authors]);
	const more = query.get("expansions") ? { includes: { users } } : {};
	return listed(page.map(renderPost), { next, ...more });
}

/**
 * Returns a page, newest first, after `since_id`, and the token of the next one: the page's oldest
 * id.
 */
function pageOf<Row extends { id: string }>(
	rows: readonly Row[],
	query: URLSearchParams,
): { page: Row[]; next: string | undefined } {
	const since = BigInt(query.get("since_id") ?? "0");
	const before = query.get("pagination_token");
	const most = Math.min(100, Math.max(1, Number(query.get("max_results") ?? "10")));
	const all = rows.filter(
		({ id }) => BigInt(id) > since && (before === null || BigInt(id) < BigInt(before)),
	);
	const page = all.slice(-most).reverse();
	return { page, next: all.length > most ? page.at(-1)?.id : undefined };
}

function idsOf(rows: readonly { id: string }[]): string[] {
	return rows.map(({ id }) => id);
}

function listed(data: readonly unknown[], { next, ...more }: Listing): Response {
	const meta = { result_count: data.length, ...(next !== undefined && { next_token: next }) };
	// X omits an empty `data`.
	return Response.json(data.length > 0 ? { data, ...more, meta } : { meta });
}

function own({ office: { timeline, meter }, path, query }: Given): Response {
	const { page, next } = pageOf(
		timeline.posts.filter(({ authorId }) => authorId === path[0]),
		query,
	);
	meter.noteRead("owned_read", idsOf(page));
	return listed(page.map(renderPost), { next });
}

function events({ office: { timeline, bot, meter }, path, query }: Given): Response {
	const [other] = path;
	const found = timeline.messages.filter(
		({ senderId, recipientId }) => !other || senderId === other || recipientId === other,
	);
	const { page, next } = pageOf(found, query);
	meter.noteRead("message_read", idsOf(page));
	return listed(
		page.map((one) => renderEvent(one, bot)),
		{ next },
	);
}

function renderEvent({ id, senderId, recipientId, text, atMs }: Message, bot: Account) {
	const other = senderId === bot.id ? recipientId : senderId;
	return {
		id,
		event_type: "MessageCreate",
		// X rewrites links.
		text: text.replace(/https?:\/\/\S+/g, "https://t.co/sandbox"),
		sender_id: senderId,
		dm_conversation_id: `${bot.id}-${other}`,
		created_at: new Date(atMs).toISOString(),
	};
}

function subscribe({ office, body }: Given): Response {
	if (!office.hasActivity()) return refusal(403, "This app has no access to this endpoint.");
	const read = subscriptionBody.safeParse(body).data;
	if (!read || read.webhook_id !== office.webhookId || read.filter.user_id !== office.bot.id) {
		return refusal(400, "One or more parameters to your request was invalid.");
	}
	if (office.subscriptions.has(read.event_type)) {
		return refusal(409, "Subscription already exists.");
	}
	office.subscriptions.add(read.event_type);
	return Response.json({ data: { subscription_id: String(office.subscriptions.size) } });
}
