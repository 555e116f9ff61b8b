import type { Account, Message, Post, Timeline } from "./createTimeline.ts";

/** The format of deliveries; X has two. */
export type Shape = "activity" | "legacy";

/** Renders a post in the format of X's version 2. */
export function renderPost(post: Post): Record<string, unknown> {
	const kinds = [
		[post.replyTo, "replied_to"],
		[post.quotes, "quoted"],
		[post.repostOf, "retweeted"],
	].flatMap(([id, type]) => (id === null ? [] : [{ id, type }]));
	return {
		id: post.id,
		text: escaped(textOf(post)),
		author_id: post.authorId,
		created_at: new Date(post.atMs).toISOString(),
		edit_history_tweet_ids: post.versions,
		display_text_range: [post.prefix, [...escaped(post.text)].length],
		...(kinds.length > 0 && { referenced_tweets: kinds }),
	};
}

export function renderAccount(account: Account): Record<string, unknown> {
	const { id, username, isAutomated } = account;
	return { id, username, ...(isAutomated && { affiliation: { description: "Automated" } }) };
}

/** Renders a delivery of a post that mentions the bot. */
export function renderMention(post: Post, given: Rendering): unknown {
	const { shape, bot, timeline } = given;
	const author = timeline.account(post.authorId);
	if (shape === "legacy") {
		return { for_user_id: bot.id, tweet_create_events: [renderOldPost(post, author)] };
	}
	return {
		data: {
			event_uuid: `mention-${post.id}`,
			filter: { user_id: bot.id },
			event_type: "post.mention.create",
			tag: "tapeline",
			payload: renderPost(post),
			includes: { users: author ? [renderAccount(author)] : [] },
		},
	};
}

/** Renders a delivery of a message to the bot. */
export function renderMessage(message: Message, given: Rendering): unknown {
	const { shape, bot, timeline } = given;
	const author = timeline.account(message.senderId);
	const told = {
		direct_message_events: [
			{
				type: "message_create",
				id: message.id,
				created_timestamp: String(message.atMs),
				message_create: {
					target: { recipient_id: message.recipientId },
					sender_id: message.senderId,
					message_data: { text: message.text },
				},
			},
		],
		users: author ? { [author.id]: renderAccount(author) } : {},
	};
	if (shape === "legacy") return { for_user_id: bot.id, ...told };
	return {
		data: {
			event_uuid: `message-${message.id}`,
			filter: { user_id: bot.id },
			event_type: "dm.received",
			payload: told,
		},
	};
}

export type Rendering = { shape: Shape; bot: Account; timeline: Timeline };

function renderOldPost(post: Post, author: Account | null): Record<string, unknown> {
	const { id, text, versions, prefix, replyTo } = post;
	return {
		// As a number the id loses digits and is another post's: only its text is right.
		id: Number(id),
		id_str: id,
		text: escaped(text).slice(0, 140),
		truncated: text.length > 140,
		...(text.length > 140 && {
			extended_tweet: {
				full_text: escaped(text),
				display_text_range: [prefix, [...escaped(text)].length],
			},
		}),
		display_text_range: [prefix, [...escaped(text)].length],
		in_reply_to_status_id_str: replyTo,
		user: {
			id_str: post.authorId,
			screen_name: author?.username ?? "",
			...(author && label(author)),
		},
		...(versions.length > 1 && {
			edit_history: { initial_tweet_id: versions[0], edit_tweet_ids: versions },
		}),
		...(post.repostOf !== null && { retweeted_status: { id_str: post.repostOf } }),
	};
}

function label({ isAutomated }: Account): Record<string, unknown> {
	return isAutomated ? { affiliation: { description: "Automated" } } : {};
}

/** Returns the text; a quoted post is a link after it. */
function textOf({ text, quotes }: Post): string {
	return quotes === null ? text : `${text} https://t.co/${quotes.slice(-10)}`;
}

function escaped(text: string): string {
	return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
}
