import { custodyFault } from "#plugins/wallets/custody/faults.ts";
import { JSON_DEPTH_MAX } from "#plugins/wallets/custody/limits.ts";

/**
 * A value as the one text that RFC 8785 (JCS) has for it: what is signed on both sides.
 *
 * What JSON cannot hold exactly is refused and not left out: a member that silently disappears
 * would be signed as if nobody had asked for it.
 */
export function canonicalizeJson(value: unknown): string {
	return write(value, 0);
}

function write(value: unknown, depth: number): string {
	if (depth > JSON_DEPTH_MAX) throw refused("too deeply nested");
	switch (typeof value) {
		case "boolean":
			return String(value);
		case "number":
			if (!Number.isFinite(value)) throw refused("a number that JSON cannot hold");
			// ECMAScript's own text for a double is what section 3.2.2.3 asks for; -0 is 0.
			return JSON.stringify(value);
		case "string":
			return writeText(value);
		case "object":
			if (value === null) return "null";
			return Array.isArray(value) ? writeArray(value, depth) : writeObject(value, depth);
		default:
			throw refused(`a value of type ${typeof value}`);
	}
}

function writeText(text: string): string {
	if (!text.isWellFormed()) throw refused("text with half a character");
	return JSON.stringify(text);
}

function writeArray(items: readonly unknown[], depth: number): string {
	// Not `map`, which steps over holes.
	return `[${Array.from(items, (item) => write(item, depth + 1)).join(",")}]`;
}

function writeObject(object: object, depth: number): string {
	const prototype: unknown = Object.getPrototypeOf(object);
	if (prototype !== Object.prototype && prototype !== null) throw refused("an object of a class");
	// Without a comparer `sort` goes by UTF-16 code units, as section 3.2.3 wants. Entries and not
	// a rebuilt object: engines put integer-like names first, whatever they were sorted by.
	const names = Object.keys(object).sort();
	const members = new Map<string, unknown>(Object.entries(object));
	return `{${names
		.map((name) => `${writeText(name)}:${write(members.get(name), depth + 1)}`)
		.join(",")}}`;
}

function refused(detail: string) {
	return custodyFault.refused({ detail: `cannot be signed: ${detail}` });
}
