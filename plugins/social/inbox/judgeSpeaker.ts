// Decides whether a person speaks to the bot, and returns the command in their text.

import { EVENT_AGE_MAX_MS, EVENT_AHEAD_MAX_MS, TEXT_CHARS_MAX } from "#plugins/social/limits.ts";
import { NOT_OURS } from "#plugins/social/sql/events.ts";
import { BLANK, trimmed, type Written } from "#plugins/social/x/readActivity.ts";

/** Names why the bot does not answer. Every reason is stored, for operators. */
type Silence =
	| "self"
	| "automated"
	| "ignored_account"
	| typeof NOT_OURS
	| "repost"
	| "edited"
	| "unreadable"
	| "not_named";

export type SpeakerTerms = {
	/** The account whose credentials are set: deliveries for another account are ignored. */
	botId: string;
	/** The bot's name without `@`; null: the bot cannot be mentioned. */
	botName: string | null;
	ignoredIds: ReadonlySet<string>;
	nowMs: number;
};

/** `late`: it was for the bot, but too long ago for anything but `stop`. */
type Judged = { kind: "heard" | "late"; command: string } | { kind: "ignored"; reason: Silence };

const EPOCH_MS = 1_288_834_974_657n;

/**
 * Decides whether a person speaks to the bot, and returns the command: the text without the bot's
 * name at its beginning or end.
 */
export function judgeSpeaker(written: Written, terms: SpeakerTerms): Judged {
	const reason = silence(written, terms);
	if (reason !== null) return { kind: "ignored", reason };
	const command = withoutName(written.text, terms);
	const isNamed = written.via === "dm" || (names(written.text, terms) && command !== "");
	if (!isNamed) return { kind: "ignored", reason: "not_named" };
	const isLate = terms.nowMs - writtenAtMs(written.firstId) > EVENT_AGE_MAX_MS;
	return { kind: isLate ? "late" : "heard", command };
}

/**
 * Returns when a text was written, in Unix ms, from its id: X's ids contain the time. So a delivery
 * that is repeated much later counts as old.
 */
export function writtenAtMs(id: string): number {
	return Number((BigInt(id) >> 22n) + EPOCH_MS);
}

function silence(written: Written, { botId, ignoredIds, nowMs }: SpeakerTerms): Silence | null {
	if (written.authorId === botId) return "self";
	if (written.isAutomated) return "automated";
	if (ignoredIds.has(written.authorId)) return "ignored_account";
	if (written.forId !== botId) return NOT_OURS;
	if (written.isRepost) return "repost";
	// An edited text: the first version was handled, or was ignored; no other version counts.
	if (written.id !== written.firstId) return "edited";
	if (!written.isReadable || [...written.text].length > TEXT_CHARS_MAX) return "unreadable";
	return writtenAtMs(written.firstId) - nowMs > EVENT_AHEAD_MAX_MS ? "unreadable" : null;
}

function withoutName(text: string, { botName }: SpeakerTerms): string {
	if (botName === null) return text;
	const first = text.replace(nameOf(botName, `^${BLANK}*`), "");
	return trimmed(first.replace(nameOf(botName, "", `(?:${BLANK}|[.!?])*$`), ""));
}

/**
 * Matches what X takes for a letter behind a name: Latin ones alone, so that words of other scripts
 * may follow a mention without a blank. By twitter-text 3.1.
 */
const LATIN =
	"a-z0-9_\\u00c0-\\u00d6\\u00d8-\\u00f6\\u00f8-\\u024f\\u0253\\u0254\\u0256\\u0257\\u0259\\u025b\\u0263" +
	"\\u0268\\u026f\\u0272\\u0289\\u028b\\u02bb\\u0300-\\u036f\\u1e00-\\u1eff";

/**
 * Matches a mention as X does: a letter of English, a digit or some signs in front of it make it no
 * mention, but `rt` does not; nor is the name of a list one (`@bot/list`).
 */
function nameOf(botName: string, before: string, after = ""): RegExp {
	const front = "(?:(?<![a-z0-9_@＠!#$%&*])|(?<=(?:^|[^a-z0-9_+~.-])rt:?))";
	const behind = `(?![${LATIN}@＠]|/[a-z]|://)`;
	return new RegExp(`${before}${front}[@＠]${botName}${behind}${after}`, "i");
}

function names(text: string, { botName }: SpeakerTerms): boolean {
	return botName !== null && nameOf(botName, "").test(text);
}
