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

export type Timeline = ReturnType<typeof createTimeline>;
