import { withoutHidden } from "#core/outside/withoutHidden.ts";

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
