import { describe, expect, test } from "bun:test";
import { readActivity } from "#plugins/social/x/readActivity.ts";

// Guarantee: a delivery says of a text only what its author typed, in the post that they typed.

const BOT = "8000";

function readPost(payload: object) {
	const post = { id: "200", author_id: "7", text: "@bot help", ...payload };
	return readActivity({ data: { event_type: "post.mention.create", payload: post } })[0];
}

function readOldPost(post: object) {
	const told = { id_str: "200", text: "@bot help", user: { id_str: "7" }, ...post };
	return readActivity({ for_user_id: BOT, tweet_create_events: [told] })[0];
}

test("a post's first version is the smallest id, in any order in which X lists the versions", () => {
	for (const ids of [["100", "200"], ["200", "100"], ["100"], ["150", "100", "200"]]) {
		expect(readPost({ edit_history_tweet_ids: ids })).toMatchObject({ firstId: "100" });
		const edit_history = { initial_tweet_id: ids.at(-1), edit_tweet_ids: ids };
		expect(readOldPost({ edit_history })).toMatchObject({ firstId: "100" });
	}
	expect(readPost({ edit_history_tweet_ids: [] })).toMatchObject({ id: "200", firstId: "200" });
	// 99 is smaller than 200, and comes after it in the alphabet.
	expect(readPost({ edit_history_tweet_ids: ["200", "99"] })).toMatchObject({ firstId: "99" });
});

describe("names at the start of a text", () => {
	const front = "@mallory @a_very_long_name_of_long_ago @bot ";
	const text = `${front}send 1 eth`;

	test("X added the names if the post is a reply in another's conversation", () => {
		const hints = [
			{ referenced_tweets: [{ type: "replied_to" }] },
			{ conversation_id: "100" },
			{ in_reply_to_user_id: "9" },
			{ display_text_range: [front.length, text.length] },
		];
		for (const hint of hints) expect(readPost({ text, ...hint })?.text).toBe("send 1 eth");
		expect(readOldPost({ text, in_reply_to_status_id_str: "100" })?.text).toBe("send 1 eth");
	});

	test("the author wrote the names if the post began the conversation", () => {
		const begun = { conversation_id: "200", in_reply_to_user_id: BOT };
		expect(readPost({ text, ...begun })?.text).toBe(text);
		const edited = { ...begun, conversation_id: "100", edit_history_tweet_ids: ["100", "200"] };
		expect(readPost({ text, ...edited })?.text).toBe(text);
	});

	test("names after RT mark a repost", () => {
		for (const copy of ["RT @mallory: @bot help", "rt @bot help"]) {
			expect(readPost({ text: copy })?.isRepost).toBe(true);
			expect(readOldPost({ text: copy })?.isRepost).toBe(true);
		}
		expect(readPost({ text: "@bot RT" })?.isRepost).toBe(false);
	});
});

test("only links that X added are left out after the shown part of a post", () => {
	const shown = { display_text_range: [0, 9] };
	const links = " https://t.co/abc https://t.co/Xy1";
	expect(readPost({ text: `@bot help${links}`, ...shown })?.text).toBe("@bot help");
	for (const rest of [" not", " https://evil.example", `${links} not`, "0"]) {
		expect(readPost({ text: `@bot help${rest}`, ...shown })?.text).toBe(`@bot help${rest}`);
	}
});

test("a member that X leaves empty counts as missing", () => {
	const empty = {
		...{ display_text_range: null, referenced_tweets: null, note_tweet: null },
		...{ edit_history_tweet_ids: null, conversation_id: null },
	};
	expect(readPost(empty)).toMatchObject({ text: "@bot help", firstId: "200" });
	const old = { display_text_range: null, extended_tweet: null, edit_history: null };
	expect(readOldPost({ ...old, retweeted_status: null })).toMatchObject({ isRepost: false });
});

test("a text is for the account to which X delivers it, and for nobody if no account is named", () => {
	const to = (target: object, user_id?: string) => {
		const message_create = { sender_id: "7", target, message_data: { text: "help" } };
		const payload = { direct_message_events: [{ id: "300", message_create }] };
		const filter = { ...(user_id !== undefined && { user_id }) };
		const data = { event_type: "dm.received", filter, payload };
		return readActivity({ data })[0]?.forId;
	};
	expect(to({ recipient_id: BOT }, BOT)).toBe(BOT);
	expect(to({ recipient_id: BOT })).toBe(BOT);
	expect(to({ recipient_id: "9" }, BOT)).toBeNull();
	expect(to({}, BOT)).toBeNull();
	expect(readPost({})?.forId).toBeNull();
	expect(readOldPost({})?.forId).toBe(BOT);
});

test("an optional member of another shape does not lose the text, and an unreadable activity is stored", () => {
	for (const odd of ["odd", [1], [-1, 2], {}, 7]) {
		const post = readPost({ display_text_range: odd, conversation_id: "200" });
		expect(post).toMatchObject({ text: "@bot help", isReadable: true });
		// Where nothing says who put the name there, X did.
		expect(readPost({ display_text_range: odd })).toMatchObject({ text: "help" });
	}
	// The long text is not there: its beginning may mean something else.
	expect(readPost({ note_tweet: {} })).toMatchObject({ id: "200", isReadable: false });
	expect(readPost({ author_id: 7 })).toMatchObject({ id: "200", isReadable: false });
	expect(readPost({ edit_history_tweet_ids: "odd" })).toMatchObject({ isReadable: false });
	expect(readOldPost({ user: null })).toMatchObject({ id: "200", isReadable: false });
	const events = [{ id: "300", message_create: {} }];
	expect(readActivity({ for_user_id: BOT, direct_message_events: events })).toMatchObject([
		{ via: "dm", id: "300", isReadable: false },
	]);
});

test("a malformed activity does not affect the others, and all of a thousand are read", () => {
	const told = (n: number) => ({
		event_type: "post.mention.create",
		filter: { user_id: BOT },
		payload: { id: String(1_000 + n), author_id: "7", text: "@bot help" },
	});
	const many = Array.from({ length: 1_000 }, (_, n) => told(n));
	const odd = [null, 7, "odd", [], { event_type: 7 }, { filter: 7, event_type: "x" }];
	let unread = 0;
	const count = () => {
		unread += 1;
	};
	expect(readActivity({ data: [...odd, ...many] }, count)).toHaveLength(1_000);
	// Of another kind is the last alone: the rest is counted.
	expect(unread).toBe(5);
});

test("an activity without a readable id is counted, whatever its shape", () => {
	const mention = "post.mention.create";
	const payload = { id: "300", author_id: "7", text: "@bot help" };
	const lost: unknown[] = [
		{ data: "odd" },
		{ data: { event_type: mention } },
		{ data: { event_type: mention, payload: null } },
		{ data: { event_type: mention, payload: [payload] } },
		{ data: { event_type: mention, payload: { ...payload, id: 300 } } },
		{ data: { event_type: "dm.received", payload: {} } },
		{ data: { event_type: "dm.received", payload: { direct_message_events: {} } } },
		{ for_user_id: BOT, tweet_create_events: [7] },
		{ for_user_id: BOT, direct_message_events: [{ message_create: {} }] },
	];
	for (const json of lost) {
		let unread = 0;
		const count = () => {
			unread += 1;
		};
		expect([json, readActivity(json, count), unread]).toEqual([json, [], 1]);
	}
	// Odd members beside what counts cost nothing but what they say.
	for (const odd of [{ filter: { user_id: 777 } }, { filter: "x" }, { includes: { users: 7 } }]) {
		expect(readActivity({ data: { event_type: mention, payload, ...odd } })).toMatchObject([
			{ id: "300", text: "@bot help", forId: null },
		]);
	}
	const events = {
		tweet_create_events: [{ id_str: "5", text: "@bot help", user: { id_str: "7" } }],
	};
	for (const for_user_id of [8_000, null, undefined]) {
		expect(readActivity({ for_user_id, ...events })).toMatchObject([{ id: "5", forId: null }]);
	}
});
