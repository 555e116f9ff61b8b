import { isSecretName } from "#core/config/isSecretName.ts";

/** In names of a query's parameters; longer words than a variable's (`apikey`, `sslpassword`). */
const SECRET_PARAMETER = /key|secret|token|password|passwd|pass|pwd|auth|signature|sig/i;

/** At a database a user alone is a name; at an HTTP endpoint it is the key. */
const KEY_AS_USER = /^(https?|wss?)$/i;

const LONG = 20;
const MIXED_LENGTH_MIN = 6;
const CASES_LENGTH_MIN = 8;

/**
 * What is secret in a URL: its password, an HTTP user that stands without one, the values of the
 * query that are called or look like keys, and such parts of the path.
 *
 * Hosts, short words and plain words of a path stay: replaced in every line, they would make a log
 * that nobody can read.
 *
 * @example
 * urlSecrets("https://eth.example/v2/AbCdEf0123456789"); // ["AbCdEf0123456789"]
 */
export function urlSecrets(url: string): string[] {
	const [, scheme = "", rest = ""] = /^([^:]+):\/\/(.*)$/s.exec(url) ?? [];
	// Up to the last "@" before the query, as in `maskValue`: so a password with "/" is seen whole.
	const [, beforeQuery = "", query = "", fragment = ""] =
		/^([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s.exec(rest) ?? [];
	const at = beforeQuery.lastIndexOf("@");
	const [, ...path] = beforeQuery.slice(at + 1).split("/");
	const found = [
		...userSecrets(beforeQuery.slice(0, Math.max(at, 0)), KEY_AS_USER.test(scheme)),
		...path.filter(looksLikeKey),
		...query.split("&").flatMap(parameterSecrets),
		...(looksLikeKey(fragment) ? [fragment] : []),
	];
	return found.filter((secret) => secret !== "");
}

function userSecrets(userInfo: string, isKey: boolean): string[] {
	const [user = "", ...rest] = userInfo.split(":");
	const password = rest.join(":");
	if (password === "") return isKey || looksLikeKey(user) ? [user] : [];
	const basic = Buffer.from(`${user}:${password}`, "utf8").toString("base64");
	return [password, basic, ...(looksLikeKey(user) ? [user] : [])];
}

function parameterSecrets(pair: string): string[] {
	const equals = pair.indexOf("=");
	if (equals < 0) return looksLikeKey(pair) ? [pair] : [];
	const [name, value] = [pair.slice(0, equals), pair.slice(equals + 1)];
	const isSecret = SECRET_PARAMETER.test(name) || isSecretName(name.toUpperCase());
	return isSecret || looksLikeKey(value) ? [value] : [];
}

/** Chance looks like none of the words of a path: long, letters with digits, or of two cases. */
function looksLikeKey(text: string): boolean {
	if (text.length >= LONG) return true;
	if (text.length < MIXED_LENGTH_MIN) return false;
	if (/[a-z]/i.test(text) && /\d/.test(text)) return true;
	return text.length >= CASES_LENGTH_MIN && /[a-z]/.test(text) && /.[A-Z]/.test(text);
}
