import { EVENT_AGE_MAX_MS, EVENT_AHEAD_MAX_MS, TEXT_CHARS_MAX } from "#plugins/social/limits.ts";
import type { Written } from "#plugins/social/x/readActivity.ts";

/** Why the bot does not answer something. All of it is stored, so that nobody has to guess. */
export type Silence =
	| "self"
	| "automated"
	| "ignored_account"
	| "not_direct"
	| "repost"
	| "edited"
	| "unreadable"
	| "not_named"
	| "too_old";

export type SpeakerTerms = {
	/** The bot's own account, as far as anybody said which it is. */
	botIds: ReadonlySet<string>;
	/** Without `@`; null: no mention names it. */
	botName: string | null;
	ignoredIds: ReadonlySet<string>;
	nowMs: number;
};

export type Judged = { kind: "heard"; command: string } | { kind: "ignored"; reason: Silence };

/**
 * Decides whether something is said to the bot by a person, and what of it is the command: the text
 * without the bot's name at its beginning or end.
 */
export function judgeSpeaker(written: Written, terms: SpeakerTerms): Judged {
	const reason = silence(written, terms);
	if (reason !== null) return { kind: "ignored", reason };
	if (written.via === "dm") return { kind: "heard", command: withoutName(written.text, terms) };
	const command = withoutName(written.text, terms);
	return names(written.text, terms) && command !== ""
		? { kind: "heard", command }
		: { kind: "ignored", reason: "not_named" };
}

function silence(written: Written, { botIds, ignoredIds, nowMs }: SpeakerTerms): Silence | null {
	if (botIds.has(written.authorId)) return "self";
	if (written.isAutomated) return "automated";
	if (ignoredIds.has(written.authorId)) return "ignored_account";
	if (!written.isDirect) return "not_direct";
	if (written.isRepost) return "repost";
	// Its first version was read, or was not: either way this one is not what was said first.
	if (written.id !== written.firstId) return "edited";
	if (!written.isReadable || [...written.text].length > TEXT_CHARS_MAX) return "unreadable";
	const ageMs = nowMs - writtenAtMs(written.firstId);
	if (ageMs > EVENT_AGE_MAX_MS) return "too_old";
	return ageMs < -EVENT_AHEAD_MAX_MS ? "unreadable" : null;
}

const EPOCH_MS = 1_288_834_974_657n;

/**
 * When something was written, of X's id of it: X counts ids up by time. So a delivery that is sent
 * again after a long time is old, whatever it says of itself.
 */
export function writtenAtMs(id: string): number {
	return Number((BigInt(id) >> 22n) + EPOCH_MS);
}

function names(text: string, { botName }: SpeakerTerms): boolean {
	return botName !== null && nameOf(botName, "").test(text);
}

function withoutName(text: string, { botName }: SpeakerTerms): string {
	if (botName === null) return text;
	const first = text.replace(nameOf(botName, "^\\s*"), "");
	return first.replace(nameOf(botName, "", "[\\s.!?]*$"), "").trim();
}

/** A mention as X reads one: a sign of a name before it, or after it, makes it none. */
function nameOf(botName: string, before: string, after = ""): RegExp {
	return new RegExp(
		`${before}(?<![\\p{L}\\p{N}_@＠])[@＠]${botName}(?![\\p{L}\\p{N}_@])${after}`,
		"iu",
	);
}
