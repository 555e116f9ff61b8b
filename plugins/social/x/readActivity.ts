// Reads deliveries and listings of X into one shape.

import { z } from "zod";
import { EVENTS_PER_DELIVERY_MAX, TEXT_CHARS_MAX } from "#plugins/social/limits.ts";

type TypedTerms = {
	/** The part of the text that X shows, in code points; undefined where X does not say. */
	range?: readonly [number, number] | undefined;
	/** The range refers to this text, not to a shorter form of it. */
	isWhole: boolean;
	isReply: boolean;
};

/** A post or message as X delivered it, not judged yet. */
export type Written = {
	via: "post" | "dm";
	/** X's id of this version. */
	id: string;
	/** The id of its first version: an edited post is still the same post. */
	firstId: string;
	authorId: string;
	/**
	 * The text that its author typed: without names that X put in front, and without links to quoted
	 * or attached content.
	 */
	text: string;
	/** The post that began its conversation; null for messages, and where X does not say. */
	conversationId: string | null;
	/** A repost of another account's post, without own words. */
	isRepost: boolean;
	/** Says whether X labels the author as automated. */
	isAutomated: boolean;
	/**
	 * The account that X delivered it to: for a message the other one of a conversation of two. Null
	 * where X does not say, or where several take part.
	 */
	forId: string | null;
	/** Says whether the message has text, and not only an attachment. */
	isReadable: boolean;
};

/** Holds what was read of a delivered text; null where not even its id can be read. */
type Read = Written | null;

/** Called for each text without an id that can be read: nothing of it can be stored. */
export type Unread = () => void;

type Messages = {
	direct_message_events?: unknown[] | undefined;
	users?: Record<string, unknown> | undefined;
};

/** Whitespace, but not the zero-width U+FEFF, which `\s` and `trim` take for a blank. */
export const BLANK = "[^\\S\\ufeff]";
const BLANKS_AT_ENDS = new RegExp(`^${BLANK}+|${BLANK}+$`, "gu");
/** Names in any length: old accounts have some that are longer than X allows today. */
const NAMES_IN_FRONT = /^(?:\s*[@＠]\w+)+/u;
/** Links to what is quoted or attached. */
const OWN_LINKS = /^(?:\s*https:\/\/t\.co\/\w{1,30})*\s*$/u;

const id = z.string().regex(/^\d{1,20}$/);
/** A member that X may leave out: where it is of another shape, it counts as left out. */
const optional = <Output>(schema: z.ZodType<Output>) =>
	z
		.unknown()
		.optional()
		.transform((value) => schema.safeParse(value).data);

const range = optional(z.tuple([z.int().min(0), z.int().min(0)]));
const user = z.looseObject({
	id: id.optional(),
	id_str: id.optional(),
	affiliation: z.looseObject({ description: z.string().optional() }).nullish(),
});
const users = z.array(z.unknown()).max(1_000).optional();

const post = z.looseObject({
	id,
	text: z.string(),
	author_id: id,
	conversation_id: optional(id),
	display_text_range: z.unknown().optional(),
	// What says that it is an edit, a reply or a repost is read strictly: unknown is not "no".
	edit_history_tweet_ids: z.array(id).max(50).nullish(),
	referenced_tweets: z.array(z.looseObject({ type: z.string() })).nullish(),
	in_reply_to_user_id: optional(z.string()),
	note_tweet: z.looseObject({ text: z.unknown().optional() }).nullish(),
	withheld: z.unknown().optional(),
});

const oldPost = z.looseObject({
	id_str: id,
	text: z.string().optional(),
	full_text: z.string().optional(),
	display_text_range: range,
	extended_tweet: z.looseObject({ full_text: z.string(), display_text_range: range }).nullish(),
	user: user.extend({ id_str: id }),
	in_reply_to_status_id_str: z.string().nullish(),
	retweeted_status: z.unknown().optional(),
	edit_history: z
		.looseObject({ initial_tweet_id: id.nullish(), edit_tweet_ids: z.array(id).nullish() })
		.nullish(),
	withheld_in_countries: z.unknown().optional(),
});

/** Stands for an author whom a delivery does not name. */
const UNKNOWN_AUTHOR = "0";

const message = z.looseObject({
	type: z.string().optional(),
	id,
	message_create: z.looseObject({
		sender_id: id,
		target: z.looseObject({ recipient_id: id.optional() }),
		message_data: z.looseObject({ text: z.string().optional() }),
	}),
});

const polledMessage = z.looseObject({
	id,
	event_type: z.string().optional(),
	text: z.string().optional(),
	sender_id: id,
	dm_conversation_id: z.string().optional(),
});

const messages = {
	direct_message_events: optional(z.array(z.unknown())),
	users: optional(z.record(z.string(), z.unknown())),
};
const activity = z.looseObject({
	event_type: z.string(),
	filter: optional(z.looseObject({ user_id: optional(id) })),
	payload: optional(z.looseObject(messages)),
	includes: optional(z.looseObject({ users: optional(users) })),
});
const envelope = z.looseObject({ data: z.unknown() }).refine(({ data }) => data !== undefined);
/** Parses a text of an unknown shape: just enough to store that it came. */
const remains = z.looseObject({ id: optional(id), id_str: optional(id) });
const legacy = z.looseObject({
	for_user_id: optional(id),
	tweet_create_events: optional(z.array(z.unknown())),
	...messages,
});

/** Reads a delivery of X, in either of its two formats; nothing where it is neither. */
export function readActivity(json: unknown, unread: Unread = () => {}): Written[] {
	const told = envelope.safeParse(json).data;
	if (told) return known([told.data].flat().flatMap(readOne), unread);
	const old = legacy.safeParse(json).data;
	if (!old) return [];
	const forId = old.for_user_id ?? null;
	const posts = (old.tweet_create_events ?? []).flatMap((one) => readOldPost(one, forId));
	const written = old.direct_message_events === undefined ? [] : readMessages(old, forId);
	return known([...posts, ...written], unread);
}

/** Reads posts to an account in the format of X's version 2, with the accounts it includes. */
export function readPosts(
	list: readonly unknown[],
	given: { accounts: readonly unknown[]; forId: string | null },
): Written[] {
	return known(postsOf(list, given), () => {});
}

/** Reads messages to the account that asked for them, in the format of X's version 2. */
export function readPolledMessages(list: readonly unknown[], askedBy: string): Written[] {
	const read = list.flatMap((one): Read | Read[] => {
		const read = polledMessage.safeParse(one).data;
		if (!read) return unreadable(one, "dm", askedBy);
		if ((read.event_type ?? "MessageCreate") !== "MessageCreate") return [];
		const both = (read.dm_conversation_id ?? "").split("-");
		const isDirect = both.length === 2 && both.includes(askedBy);
		const forId = isDirect ? askedBy : null;
		return messageOf({ ...read, authorId: read.sender_id, forId, isAutomated: false });
	});
	return known(read, () => {});
}

function known(read: readonly Read[], unread: Unread): Written[] {
	return read.flatMap((one, place) => {
		// What is beyond the limit is counted, as what has no id.
		const isRead = one !== null && place < EVENTS_PER_DELIVERY_MAX;
		if (!isRead) unread();
		return isRead ? one : [];
	});
}

function postsOf(
	list: readonly unknown[],
	{ accounts, forId }: { accounts: readonly unknown[]; forId: string | null },
): Read[] {
	const terms = { automated: automatedOf(accounts), forId };
	return list.flatMap((one) => readPost(one, terms));
}

/**
 * Returns the part of a text that its author typed. X puts names in front of a reply; where it does
 * not say how many, all names in front count as put there: an accidental mention must not become a
 * command. Behind the shown part only X's own links are left out, because X and its clients count
 * escaped characters in different ways, and a command that lost its end would be another one.
 */
function typedText(text: string, { range: shown, isWhole, isReply }: TypedTerms): string {
	const characters = [...text.slice(0, 4 * TEXT_CHARS_MAX)];
	const [start, end] = [shown?.[0] ?? 0, isWhole ? shown?.[1] : undefined];
	const isEnd = end !== undefined && OWN_LINKS.test(characters.slice(end).join(""));
	const typed = characters.slice(start, isEnd ? end : undefined).join("");
	const own = shown === undefined && isReply ? typed.replace(NAMES_IN_FRONT, "") : typed;
	// PostgreSQL stores neither the character NUL nor half a surrogate pair.
	return trimmed(unescaped(own).replaceAll("\u0000", "\ufffd").toWellFormed());
}

/** Removes blanks at both ends; what cannot be seen stays, and the grammar refuses it. */
export function trimmed(text: string): string {
	return text.replace(BLANKS_AT_ENDS, "");
}

/** Reads one activity of a delivery; one of another shape spoils none beside it. */
function readOne(json: unknown): Read[] {
	const read = activity.safeParse(json).data;
	if (!read) return [null];
	const { event_type, filter, payload, includes } = read;
	if (event_type === "dm.received") return readMessages(payload ?? {}, filter?.user_id ?? null);
	const isMention = event_type === "post.mention.create" || event_type === "post.reply.create";
	const given = { accounts: includes?.users ?? [], forId: filter?.user_id ?? null };
	return isMention ? postsOf([payload], given) : [];
}

/** Reads messages to an account; null where the delivery does not name it. */
function readMessages(from: Messages, askedFor: string | null): Read[] {
	if (from.direct_message_events === undefined) return [null];
	const automated = automatedOf(Object.values(from.users ?? {}));
	return from.direct_message_events.flatMap((one): Read | Read[] => {
		const read = message.safeParse(one).data;
		if (!read) return unreadable(one, "dm", askedFor);
		if ((read.type ?? "message_create") !== "message_create") return [];
		const { sender_id: authorId, target, message_data: data } = read.message_create;
		const { recipient_id: to } = target;
		const forId = askedFor === null || to === askedFor ? (to ?? null) : null;
		const isAutomated = automated.has(authorId);
		return messageOf({ id: read.id, text: data.text, authorId, forId, isAutomated });
	});
}

function automatedOf(accounts: readonly unknown[]): ReadonlySet<string> {
	return new Set(
		accounts.flatMap((one) => {
			const read = user.safeParse(one).data;
			const known = read && isLabelled(read) ? (read.id ?? read.id_str) : undefined;
			return known ?? [];
		}),
	);
}

/** Returns true for the label that X shows on automated accounts. */
function isLabelled({ affiliation }: z.output<typeof user>): boolean {
	return /^\s*automated\b/i.test(affiliation?.description ?? "");
}

function messageOf(
	given: { id: string; text?: string | undefined } & Pick<
		Written,
		"authorId" | "forId" | "isAutomated"
	>,
): Written {
	const { id: messageId, authorId, forId, isAutomated } = given;
	const text = typedText(given.text ?? "", { isWhole: true, isReply: false });
	return {
		...{ via: "dm", id: messageId, firstId: messageId, authorId, text, forId, isAutomated },
		...{ conversationId: null, isRepost: false },
		isReadable: text !== "",
	};
}

/**
 * Returns a text that cannot be read, so that it is stored with that reason; null without an id.
 */
function unreadable(json: unknown, via: Written["via"], forId: string | null): Read {
	const { id: own, id_str: old } = remains.safeParse(json).data ?? {};
	const itsId = old ?? own;
	if (itsId === undefined) return null;
	return {
		...{ via, id: itsId, firstId: itsId, authorId: UNKNOWN_AUTHOR, text: "", forId },
		...{ conversationId: null, isRepost: false, isAutomated: false, isReadable: false },
	};
}

function readOldPost(json: unknown, forId: string | null): Read {
	const read = oldPost.safeParse(json).data;
	if (!read) return unreadable(json, "post", forId);
	const { extended_tweet: extended, edit_history: edits } = read;
	const text = extended?.full_text ?? read.full_text ?? read.text ?? "";
	const typed = typedText(text, {
		range: extended ? extended.display_text_range : read.display_text_range,
		isWhole: true,
		isReply: typeof read.in_reply_to_status_id_str === "string",
	});
	const versions = [edits?.initial_tweet_id ?? [], edits?.edit_tweet_ids ?? []].flat();
	const firstId = oldest([read.id_str, ...versions]);
	return {
		...{ via: "post", id: read.id_str, firstId, authorId: read.user.id_str, text: typed },
		isRepost: (read.retweeted_status ?? null) !== null || isCopied(typed),
		isAutomated: isLabelled(read.user),
		...{ forId, conversationId: read.in_reply_to_status_id_str ?? firstId },
		isReadable: read.withheld_in_countries === undefined && typed !== "",
	};
}

/** Returns the first version's id: ids grow with time, in any order of X's list. */
function oldest(ids: readonly string[]): string {
	return ids.reduce((first, next) => (BigInt(next) < BigInt(first) ? next : first));
}

/** Returns true for words of another account that were copied by hand, as people wrote reposts. */
function isCopied(text: string): boolean {
	return /^RT\s*[@＠]\w/iu.test(text);
}

function readPost(
	json: unknown,
	{ automated, forId }: { automated: ReadonlySet<string>; forId: string | null },
): Read {
	const read = post.safeParse(json).data;
	if (!read) return unreadable(json, "post", forId);
	const { note_tweet: note } = read;
	// A longer text that is not there: the shorter one is a part of it, and may mean something else.
	const long = note ? (typeof note.text === "string" ? note.text : "") : null;
	const shown = range.parse(read.display_text_range);
	const isOdd = shown === undefined && (read.display_text_range ?? null) !== null;
	const kinds = new Set(read.referenced_tweets?.map(({ type }) => type));
	const firstId = oldest([read.id, ...(read.edit_history_tweet_ids ?? [])]);
	const typed = typedText(long ?? read.text, {
		range: shown,
		isWhole: !note,
		isReply:
			kinds.has("replied_to") ||
			isInside(read, firstId) ||
			(isOdd && read.conversation_id === undefined),
	});
	return {
		...{ via: "post", id: read.id, authorId: read.author_id, text: typed, forId },
		...{ firstId, conversationId: read.conversation_id ?? firstId },
		isRepost: kinds.has("retweeted") || isCopied(typed),
		isAutomated: automated.has(read.author_id),
		isReadable: read.withheld === undefined && typed !== "",
	};
}

/**
 * Returns true for a post inside a conversation that another post began. `in_reply_to_user_id`
 * alone does not say so: X sets it where a new post begins with a name.
 */
function isInside(read: z.output<typeof post>, firstId: string): boolean {
	const { conversation_id: begunBy, in_reply_to_user_id: answeredId } = read;
	if (typeof begunBy === "string") return begunBy !== firstId && begunBy !== read.id;
	return typeof answeredId === "string";
}

/** Unescapes the three characters that X escapes in posts, once; escapes that were typed stay. */
function unescaped(text: string): string {
	return text.replace(/&(lt|gt|amp);/g, (_, name: string) => {
		if (name === "lt") return "<";
		return name === "gt" ? ">" : "&";
	});
}
