// Renders a reply as one harmless line of limited length.

import { z } from "zod";
import { field } from "#core/http/openapi/schema.ts";
import { withoutHidden } from "#core/outside.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "#core/time.ts";

/** The length of a text: in code points, and weighted as X counts it. */
export type ReplyLength = { codePoints: number; weighted: number };

export type LineTerms = {
	/** The maximum length, in code points and as X counts. */
	lengthMax: number;
	/** The time of its oldest figure; null where nothing in it gets old. */
	asOfMs: number | null;
	nowMs: number;
	/** Words behind the text that are never cut off: what the answer leaves out. */
	note?: string;
};

const PASSES_MAX = 6;
const SIGNS = /[^\p{L}\p{N}\p{M} ]/gu;

/** Far more than a line holds, and quick to process. */
const TEXT_CHARS_MAX = 4_000;

/** Matches nearly every line: it has no character that a rule below looks for. */
const PLAIN = /^(?:[\p{L}\p{N}\p{M} ,;!?'"%+·…–—()-]|\.(?= |$|\d))*$/u;

/** Applied in this order: a scheme goes first, so that the rest is treated like any other text. */
const RULES: readonly (readonly [RegExp, string])[] = [
	[/[a-z][a-z\d+.-]*:[/\\]{2,}/giu, ""],
	[/\b(?:javascript|data|mailto|tel|vbscript):/giu, ""],
	[/[/\\]{2,}/gu, "/"],
	// A name with a dot is a link on many platforms: `evil.xyz`, also in other scripts.
	[/[.。．｡](?=[\p{L}\p{M}][\p{L}\p{M}\p{N}-])/gu, "[.]"],
	// A run becomes one `(at)`: only letters and blanks surround it, so no new mention appears.
	[/[@＠﹫]+/gu, "(at)"],
	// `#42` is a token's number; with a letter in it, a hashtag, also after signs that join (`#4·a`).
	[/[#＃﹟]+(?!\d{1,78}(?![\p{L}\p{M}\p{N}_·・～〜゛゜゠〃־׳״་༌]))/gu, ""],
	[/[$＄﹩]+(?!\d)/gu, ""],
	// Markdown and markup, for clients that render it.
	[/\](?=[([:])/gu, "] "],
	[/<(?=[\p{L}/!?])/gu, "‹"],
	[/‹([^‹>]{0,80})>/gu, "‹$1›"],
	[/`/gu, "'"],
];

/** Ranges of weight 1 in twitter-text's configuration, version 3. */
const LIGHT: readonly (readonly [number, number])[] = [
	[0, 4_351],
	[8_192, 8_205],
	[8_208, 8_223],
	[8_242, 8_247],
];

const characters = new Intl.Segmenter("en", { granularity: "grapheme" });
const ENDING = "…";
/**
 * Limits how far back a blank is searched, in characters: half a figure would be another figure.
 */
const WORD_CHARS_MAX = 80;

const linkSchema = z
	.object({
		rel: z.enum(["confirm", "sign", "cancel", "open"]).meta({ description: "What it is for." }),
		url: field.url("Where its owner does that.", "https://tapeline.example/links/7Qm0"),
	})
	.meta({ id: "ReplyLink", description: "A page to open." });

const suggestionSchema = z
	.object({
		label: field.text("Which choice it is.", "Kiln Folk (base)"),
		command: field.text("The whole command to send instead.", "floor kiln-folk on base"),
	})
	.meta({ id: "ReplySuggestion", description: "A command to send instead." });

/** The answer of the command route, for the OpenAPI document: `Reply` of the contract. */
export const replySchema = z
	.object({
		kind: z.enum(["done", "choose", "help", "refused"]).meta({
			description:
				"`done`: `data` is the answer. `choose`: the words fit several things, `suggestions` are the " +
				"choices. `help`: no command reads the text. `refused`: it was read and not done; `code` says why.",
		}),
		line: field.text(
			"One line of at most 200 characters, with the age of its figures. Nothing in it is a mention, " +
				"a link or a cashtag, whatever a collection is called.",
			"Kiln Folk: floor 0.51 ETH, 12 listed · 12 s ago",
		),
		command: field.text("The strict command that was read.", "floor kiln-folk").nullable(),
		isProposal: field.flag(
			"Whether a language model wrote that command. Then nothing was executed, at most proposed.",
		),
		tool: field.text("The tool that ran.", "read_floor").nullable(),
		data: z.unknown().meta({
			description:
				"The tool's output, of its `outputSchema` in the list of tools; null where none ran.",
			examples: [{ floorNative: 0.51 }],
		}),
		asOf: field.time("The time of the oldest figure; null where nothing ages.").nullable(),
		links: z.array(linkSchema).meta({ description: "What to open, such as a page to confirm at." }),
		suggestions: z
			.array(suggestionSchema)
			.meta({ description: "Commands to send instead: choices, or what is near." }),
		code: field.text("Why it is `help` or `refused`; stable.", "unknown_command").nullable(),
	})
	.meta({ id: "AgentReply", description: "The agent's answer to one text." });

/**
 * Renders a reply's line: harmless, with the age of its figures, and within the maximum length. A
 * longer text is cut between words, or between whole characters, and ends with `…`; the age stays.
 */
export function renderLine(text: string, { lengthMax, asOfMs, nowMs, note }: LineTerms): string {
	const age = asOfMs === null ? "" : ` · ${ageOf(nowMs - asOfMs)}`;
	const end = `${note === undefined ? "" : ` · ${harmless(note)}`}${age}`;
	return `${cut(harmless(text), lengthMax - replyLength(end).weighted)}${end}`;
}

/**
 * Returns a text as one line in which nothing becomes a mention, a link, a hashtag or a cashtag,
 * wherever it is posted, and no character is invisible or changes the direction of writing.
 *
 * Anybody may name a collection `@bank wins $SCAM evil.xyz`: repeated unchanged, our reply would
 * notify, advertise and link for them. The whole line is treated alike, so that no renderer has to
 * remember which words came from outside. Figures (`$1.5M`, `#42`, `0.5`) stay unchanged.
 */
export function harmless(text: string): string {
	let line = withoutHidden(text.slice(0, TEXT_CHARS_MAX).toWellFormed().normalize("NFC"));
	for (let pass = 0; pass < PASSES_MAX; pass++) {
		if (PLAIN.test(line)) return line;
		const before = line;
		for (const [pattern, replacement] of RULES) line = line.replace(pattern, replacement);
		// Removing characters can join others into something that the next pass must remove.
		line = withoutHidden(line.normalize("NFC"));
		if (line === before) return line;
	}
	// Only an attacker's text still changes after so many passes.
	return withoutHidden(line.replace(SIGNS, " "));
}

/**
 * Counts a text in code points, and as X counts posts: most scripts 1, all else (CJK, emoji) 2.
 *
 * X counts a whole emoji as 2 and a link as 23. Here each code point of an emoji counts by itself,
 * which is never less; and a counted text has no links (see `harmless`).
 */
export function replyLength(text: string): ReplyLength {
	let codePoints = 0;
	let weighted = 0;
	for (const character of text.normalize("NFC")) {
		codePoints += 1;
		weighted += weightOf(character.codePointAt(0) ?? 0);
	}
	// The sent text is not composed (NFC): its own code points count if there are more.
	return { codePoints: Math.max(codePoints, [...text].length), weighted };
}

/** Returns the age with its unit, at least 0: another clock may be slightly ahead of ours. */
function ageOf(ms: number): string {
	const age = Math.max(0, ms);
	if (age < 2 * MINUTE_MS) return `${Math.floor(age / SECOND_MS)} s ago`;
	if (age < 2 * HOUR_MS) return `${Math.floor(age / MINUTE_MS)} min ago`;
	if (age < 2 * DAY_MS) return `${Math.floor(age / HOUR_MS)} h ago`;
	return `${Math.floor(age / DAY_MS)} d ago`;
}

function cut(text: string, lengthMax: number): string {
	if (fits(text, lengthMax)) return text;
	let kept = "";
	for (const { segment } of characters.segment(text)) {
		if (!fits(`${kept}${segment}${ENDING}`, lengthMax)) break;
		kept += segment;
	}
	const blank = kept.lastIndexOf(" ");
	const isWhole = text[kept.length] === " ";
	if (!isWhole && blank > 0 && kept.length - blank <= WORD_CHARS_MAX) kept = kept.slice(0, blank);
	return `${kept.trimEnd()}${ENDING}`;
}

function fits(text: string, lengthMax: number): boolean {
	const { codePoints, weighted } = replyLength(text);
	return Math.max(codePoints, weighted) <= lengthMax;
}

function weightOf(codePoint: number): number {
	return LIGHT.some(([first, last]) => codePoint >= first && codePoint <= last) ? 1 : 2;
}
