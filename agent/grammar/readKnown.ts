import type { Look } from "#agent/grammar/createReader.ts";
import {
	bestOf,
	isFree,
	isUsualName,
	type Named,
	type NameRules,
	nameOf,
	quoted,
	SHARES,
} from "#agent/grammar/nameGroups.ts";
import { readOneSentence, type SentenceReading } from "#agent/grammar/readOneSentence.ts";
import { slice } from "#agent/grammar/sentences.ts";
import { type Words, withoutSigns } from "#agent/grammar/splitWords.ts";
import type { Found } from "#agent/grammar/walkForms.ts";
import type { KnownNames } from "#core/plugin/NameBook.ts";

export type KnownReading = NameRules & SentenceReading & { names: KnownNames };

/**
 * Reads a question again with the names in it put in quotes; undefined where no known name changes
 * what its words say alone.
 *
 * Anybody can call a collection `price of azuki`. So what was read stays where its name is known or
 * none of the new one's words, and no chain, length of time or id in it gets lost. Nothing is read
 * where a second known name would be left out.
 */
export function readKnown(typed: Words, plain: Look, reading: KnownReading): Look | undefined {
	const words = withoutSigns(typed);
	const [before] = plain.found;
	const taken = before && nameIn(before);
	const best = bestOf(words, reading);
	const [first, ...others] = best;
	if (!first) return undefined;
	const isOther = (one: Named) => !isUsualName(one) && stemOf(one) !== stemOf(first);
	const isTwo = others.some(isOther) && !isUsualName(first);
	if (isTwo && taken !== undefined && reading.names.has(taken)) return { ...plain, found: [] };
	const mayChange = (one: Named) => {
		if (!before || one.name.kind === "asset") return !before || isShare(one, taken, reading);
		return taken === undefined
			? isPart(one, words, before, reading)
			: saysMore(one, taken, reading);
	};
	const keeps = (look: Look) => !before || keepsValues(before, look);
	const asked = others.length === 0 ? readOneSentence(quoted(words, best), reading) : undefined;
	if (asked?.isQuestion && keeps(asked.look)) {
		if (mayChange(first) || isAbout(asked.look, taken, reading)) return asked.look;
	}
	const chosen = best.filter(mayChange);
	const look = chosen.length > 0 ? readQuoted(words, chosen, reading) : undefined;
	if (look && keeps(look) && (before || isMeant(look, words, chosen, reading))) return look;
	// Several known names, and the one that was read is none of them.
	if (chosen.length > 1) return { ...plain, found: [] };
	if (!before) return others.length === 0 ? asked?.look : undefined;
	return undefined;
}

/** Returns a name without what people leave out or add: `the captainz`, `doodles`. */
function stemOf({ text }: Named): string {
	return text.replace(/^the /, "").replace(/s$/, "");
}

/**
 * Returns false for a name of usual words by which a text would be read although it asks nothing:
 * `gm legend`. The name alone, or behind `show me`, is a question.
 */
function isMeant(
	look: Look,
	words: Words,
	spans: readonly Named[],
	{ read }: KnownReading,
): boolean {
	const [span] = spans;
	if (!span || spans.length > 1 || !isUsualName(span)) return true;
	if (span.to - span.from === words.low.length) return true;
	const own = { ...span, from: 0, to: span.to - span.from };
	const bare = read(quoted(slice(words, span.from, span.to), [own]));
	const isBare = bare.found[0]?.command === look.found[0]?.command;
	return !isBare || words.low.some((word) => SHOWING.has(word));
}

const SHOWING = new Set("show give gimme check pull about info".split(" "));

/** Reads the words with these names in quotes; undefined where not each of them is a value then. */
function readQuoted(words: Words, spans: readonly Named[], { read }: KnownReading) {
	const look = read(quoted(words, spans));
	const [one, ...others] = look.found;
	const values = Object.values(one?.values ?? {});
	const isWhole = spans.every((span) => {
		return values.includes(span.name.kind === "asset" ? span.name.ticker : nameOf(words, span));
	});
	return one && others.length === 0 && isWhole ? look : undefined;
}

/** Returns the name of a collection in a reading, in lower case. */
function nameIn({ command, values }: Found): string | undefined {
	const slot = Object.entries(command.slots).find(([, { kind }]) => kind === "collection")?.[0];
	return slot === undefined ? undefined : values[slot]?.toLowerCase();
}

/** Returns true for a reading about the name that was read before, where that is a known one. */
function isAbout({ found: [one] }: Look, taken: string | undefined, { names }: KnownReading) {
	return taken !== undefined && names.has(taken) && one !== undefined && nameIn(one) === taken;
}

/**
 * Returns true where a reading has every chain, length of time and id of the one before. An id may
 * be part of its name: `404 pigeons`.
 */
function keepsValues({ command, values }: Found, { found: [one] }: Look): boolean {
	const kept = [...Object.values(one?.values ?? {}), one?.command.topic?.chain];
	const named = (one && nameIn(one))?.split(" ") ?? [];
	return Object.entries(values).every(([slot, value]) => {
		const kind = command.slots[slot]?.kind ?? "";
		if (kept.includes(value) || !NARROW.has(kind)) return true;
		return kind === "token" && named.includes(value);
	});
}

const NARROW: ReadonlySet<string> = new Set(["chain", "window", "token"]);

/** Returns true where what was read as a name is a ticker, and else only words about shares. */
function isShare({ text }: Named, taken: string | undefined, reading: KnownReading): boolean {
	const rest = ` ${taken ?? ""} `.replace(` ${text} `, " ").split(" ").filter(Boolean);
	return rest.every((word) => !isFree(word, reading) || SHARES.has(word));
}

/** Returns true where a reading without a name comes of the words of one: `Chain Runners`. */
function isPart({ from, to }: Named, words: Words, before: Found, { read }: KnownReading): boolean {
	const low = words.low.map((word, at) => (at >= from && at < to ? TALK : word));
	const [one] = read({ ...words, low, raw: low }).found;
	return one?.command !== before.command;
}

const TALK = "so";

/**
 * Returns true for a name that says more than the one that was read. Where that is known, only
 * usual words (`club`) become part of a longer name with words of talk (`bad idea club`).
 */
function saysMore({ text }: Named, taken: string, reading: KnownReading): boolean {
	const isInside = ` ${text} `.includes(` ${taken} `) && text !== taken;
	if (!reading.names.has(taken)) {
		return isInside || text.split(" ").some((word) => taken.split(" ").includes(word));
	}
	if (!isInside) return false;
	const rest = ` ${text} `.replace(` ${taken} `, " ").trim().split(" ");
	const isUsual = isUsualName({ text: taken });
	return rest.every((word) => (isUsual ? !reading.isOfQuestion(word) : isFree(word, reading)));
}
