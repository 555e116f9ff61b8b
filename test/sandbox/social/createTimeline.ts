/** An account of the platform. */
export type Account = {
	id: string;
	username: string;
	/** X labels it as automated. */
	isAutomated: boolean;
};

export type Post = {
	id: string;
	authorId: string;
	text: string;
	replyTo: string | null;
	/** The post that began the conversation. */
	conversationId: string;
	/** The quoted or reposted post. */
	quotes: string | null;
	repostOf: string | null;
	/** Ids of its versions, the first one first. */
	versions: string[];
	/** How many characters X itself put in front. */
	prefix: number;
	atMs: number;
};

export type Message = {
	id: string;
	senderId: string;
	recipientId: string;
	text: string;
	atMs: number;
};

export type NewPost = {
	by: Account;
	text: string;
	replyTo?: string | null | undefined;
	quotes?: string | null | undefined;
	repostOf?: string | null | undefined;
	/** An edit of that post: another id, but the same post. */
	edits?: string | undefined;
};

export type Timeline = ReturnType<typeof createTimeline>;

/** The format of deliveries; X has two. */
export type Shape = "activity" | "legacy";

export type Rendering = { shape: Shape; bot: Account; timeline: Timeline };

const EPOCH_MS = 1_288_834_974_657;
const KEPT_MAX = 20_000;
/** How long X treats the same text of one account as a duplicate: our guess. */
const DUPLICATE_MS = 24 * 3_600_000;

/** Makes the store of all posts and messages; as on X, ids contain the time. */
export function createTimeline(nowMs: () => number) {
	const accounts = new Map<string, Account>();
	const posts: Post[] = [];
	const messages: Message[] = [];
	/** When each account last posted each text. */
	const texts = new Map<string, number>();
	let lastId = 0n;

	function nextId(atMs: number): string {
		const wanted = BigInt(Math.max(0, Math.floor(atMs - EPOCH_MS))) << 22n;
		lastId = wanted > lastId ? wanted : lastId + 1n;
		return String(lastId);
	}

	function keep<Row>(rows: Row[], row: Row): Row {
		rows.push(row);
		if (rows.length > KEPT_MAX) rows.shift();
		return row;
	}

	return {
		posts,
		messages,
		accounts: () => [...accounts.values()],
		addAccount(account: Account): Account {
			accounts.set(account.id, account);
			return account;
		},
		/** Finds an account by id, or by user name. */
		account: (name: string): Account | null =>
			accounts.get(name) ?? [...accounts.values()].find((one) => one.username === name) ?? null,
		/** Changes a name; the old one may then belong to another account. */
		rename(id: string, username: string): void {
			const account = accounts.get(id);
			if (account) account.username = username;
		},
		post({ by, text, replyTo = null, quotes = null, repostOf = null, edits }: NewPost): Post {
			const atMs = nowMs();
			const id = nextId(atMs);
			const parent = posts.find((one) => one.id === replyTo);
			const author = parent && accounts.get(parent.authorId);
			// X puts the author's name in front of a reply, so that the author is notified.
			const front = author && author.id !== by.id ? `@${author.username} ` : "";
			const before = posts.find((one) => one.id === edits);
			texts.set(`${by.id} ${text}`, atMs);
			for (const oldest of texts.keys()) {
				if (texts.size <= KEPT_MAX) break;
				texts.delete(oldest);
			}
			return keep(posts, {
				...{ id, authorId: by.id, text: `${front}${text}`, replyTo, quotes, repostOf, atMs },
				conversationId: parent?.conversationId ?? before?.conversationId ?? replyTo ?? id,
				versions: [...(before?.versions ?? []), id],
				prefix: [...front].length,
			});
		},
		/** Returns true for a text that this account posted recently, as a reply to anybody. */
		isTwice: ({ id }: Account, text: string): boolean =>
			nowMs() - (texts.get(`${id} ${text}`) ?? Number.NEGATIVE_INFINITY) < DUPLICATE_MS,
		message(from: { by: Account; to: Account; text: string }): Message {
			const atMs = nowMs();
			return keep(messages, {
				...{
					id: nextId(atMs),
					senderId: from.by.id,
					recipientId: from.to.id,
					text: from.text,
					atMs,
				},
			});
		},
	};
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
		conversation_id: post.conversationId,
		created_at: new Date(post.atMs).toISOString(),
		edit_history_tweet_ids: post.versions,
		display_text_range: [post.prefix, [...escaped(post.text)].length],
		...(kinds.length > 0 && { referenced_tweets: kinds }),
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

export function renderAccount(account: Account): Record<string, unknown> {
	const { id, username, isAutomated } = account;
	return { id, username, ...(isAutomated && { affiliation: { description: "Automated" } }) };
}

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

function escaped(text: string): string {
	return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
}

function label({ isAutomated }: Account): Record<string, unknown> {
	return isAutomated ? { affiliation: { description: "Automated" } } : {};
}

/** Returns the text; a quoted post is a link after it. */
function textOf({ text, quotes }: Post): string {
	return quotes === null ? text : `${text} https://t.co/${quotes.slice(-10)}`;
}
