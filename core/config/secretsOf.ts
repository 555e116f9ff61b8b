import type { ConfigSection } from "#core/config/ConfigSection.ts";
import { fieldOf } from "#core/config/fieldOf.ts";
import { isSecretName } from "#core/config/isSecretName.ts";
import type { Environment } from "#core/config/readEnvironment.ts";
import { urlSecrets } from "#core/config/urlSecrets.ts";

/** A scheme has at most 16 letters here: unbounded, the search is quadratic (100 KB took 3 s). */
const URLS = /[a-z][a-z0-9+.-]{0,15}:\/\/[^\s"',<>\\]+/gi;
const BEGINS_AS_URL = /^[a-z][a-z0-9+.-]{0,15}:\/\//i;

/**
 * Every text of the environment that a log must not repeat: the values of all variables that a
 * schema or their name calls secret, and what is secret in the URLs of all others.
 *
 * Read from the text and not from the parsed values: a configuration that is refused has secrets
 * too, and the refusal is written. Variables of nobody's schema count by their name.
 */
export function secretsOf(sections: readonly ConfigSection[], env: Environment): string[] {
	const declared = new Map<string, boolean>();
	for (const { schema } of sections) {
		for (const [name, field] of Object.entries(schema.shape)) {
			declared.set(name, fieldOf(field).declaredSecret);
		}
	}
	const secrets = new Set<string>();
	for (const [name, value] of Object.entries(env)) {
		const text = value?.trim() ?? "";
		const isSecret = isSecretName(name) || declared.get(name) === true;
		if (text === "" || !(isSecret || declared.has(name))) continue;
		const parts = partsOf(text);
		for (const secret of parts.flatMap((part) => secretsIn(part, isSecret))) secrets.add(secret);
		if (isSecret) for (const whole of [text, ...parts]) secrets.add(whole);
	}
	return [...secrets];
}

/** The strings that a value consists of: of JSON its texts, else what stands between commas. */
function partsOf(text: string): string[] {
	if (/^[[{"]/.test(text)) {
		try {
			return stringsOf(JSON.parse(text));
		} catch {
			// Broken JSON: whatever can be found in its text.
		}
	}
	return isUrl(text) ? [text] : text.split(",").map((part) => part.trim());
}

function stringsOf(value: unknown): string[] {
	if (typeof value === "string") return [value];
	if (typeof value !== "object" || value === null) return [];
	return Object.values(value).flatMap(stringsOf);
}

/** A password may have any sign: where a text can be one URL, it is not searched for its end. */
function secretsIn(part: string, isOne: boolean): string[] {
	const isWhole = isUrl(part) && (isOne || !part.includes(","));
	return (isWhole ? [part] : (part.match(URLS) ?? [])).flatMap(urlSecrets);
}

function isUrl(text: string): boolean {
	return BEGINS_AS_URL.test(text);
}
