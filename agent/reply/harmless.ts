import { withoutHidden } from "#core/outside/withoutHidden.ts";

/**
 * Returns a text as one line in which nothing becomes a mention, a link, a hashtag or a cashtag,
 * wherever it is posted, and nothing hides or turns around.
 *
 * Anybody may name a collection `@bank wins $SCAM evil.xyz`: repeated as it is, our reply would
 * notify, advertise and link for them. The whole line is treated alike, so that no renderer has to
 * remember which of its words came from outside. Figures (`$1.5M`, `#42`, `0.5`) stay as they are.
 */
export function harmless(text: string): string {
	let line = withoutHidden(text.slice(0, TEXT_CHARS_MAX).toWellFormed().normalize("NFC"));
	for (let pass = 0; pass < PASSES_MAX; pass++) {
		if (PLAIN.test(line)) return line;
		const before = line;
		for (const [pattern, replacement] of RULES) line = line.replace(pattern, replacement);
		// What a rule took away may have kept apart what the next pass takes away.
		line = withoutHidden(line.normalize("NFC"));
		if (line === before) return line;
	}
	// Nobody but an attacker writes what still changes.
	return withoutHidden(line.replace(SIGNS, " "));
}

const PASSES_MAX = 6;
const SIGNS = /[^\p{L}\p{N}\p{M} ]/gu;

/** Far more than a line holds, and little work. */
const TEXT_CHARS_MAX = 4_000;

/** Nearly every line: without any sign that a rule below looks for. */
const PLAIN = /^(?:[\p{L}\p{N}\p{M} ,;!?'"%+·…–—()-]|\.(?= |$|\d))*$/u;

/** In this order: a scheme goes first, so that what follows it is read like any other text. */
const RULES: readonly (readonly [RegExp, string])[] = [
	[/[a-z][a-z\d+.-]*:[/\\]{2,}/giu, ""],
	[/\b(?:javascript|data|mailto|tel|vbscript):/giu, ""],
	[/[/\\]{2,}/gu, "/"],
	// A name with a dot is a link on many platforms: `evil.xyz`, also in other scripts.
	[/[.。．｡](?=[\p{L}\p{M}][\p{L}\p{M}\p{N}-])/gu, "[.]"],
	// Only letters and blanks are around what is said of it: a run of them makes no new one.
	[/[@＠﹫]+/gu, "(at)"],
	// `#42` is a token's number; with a letter in it, a hashtag, also behind signs that join (`#4·a`).
	[/[#＃﹟]+(?!\d{1,78}(?![\p{L}\p{M}\p{N}_·・～〜゛゜゠〃־׳״་༌]))/gu, ""],
	[/[$＄﹩]+(?!\d)/gu, ""],
	// Markdown and markup, where a client shows the line as such.
	[/\](?=[([:])/gu, "] "],
	[/<(?=[\p{L}/!?])/gu, "‹"],
	[/‹([^‹>]{0,80})>/gu, "‹$1›"],
	[/`/gu, "'"],
];
