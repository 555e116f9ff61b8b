import { assert } from "#core/fault/assert.ts";

/** Deeper than anything an entry has to say; also the end of a cycle. */
const DEPTH_MAX = 32;

/**
 * A value as the one text that RFC 8785 has for it, so that equal entries have equal hashes.
 *
 * Beyond the RFC: a bigint is its digits, members that are undefined are left out as JSON does, and
 * what PostgreSQL could not read as jsonb (NUL, half a surrogate pair) becomes U+FFFD: a stranger's
 * name must not keep an entry from being written.
 */
export function canonicalJson(value: unknown): string {
	return write(value, 0);
}

function write(value: unknown, depth: number): string {
	assert(depth <= DEPTH_MAX, "an audit entry is not nested that deeply");
	switch (typeof value) {
		case "boolean":
			return String(value);
		case "number":
			assert(Number.isFinite(value), "JSON holds finite numbers only");
			return JSON.stringify(value);
		case "bigint":
			return JSON.stringify(value.toString());
		case "string":
			return writeText(value);
		case "object":
			if (value === null) return "null";
			if (value instanceof Date) return JSON.stringify(value.toISOString());
			return Array.isArray(value) ? writeArray(value, depth) : writeObject(value, depth);
		default:
			assert(false, `an audit entry cannot hold a ${typeof value}`);
	}
}

function writeText(text: string): string {
	return JSON.stringify(text.replaceAll("\0", "\uFFFD").toWellFormed());
}

function writeArray(items: readonly unknown[], depth: number): string {
	return `[${Array.from(items, (item) => write(item, depth + 1)).join(",")}]`;
}

function writeObject(object: object, depth: number): string {
	const prototype: unknown = Object.getPrototypeOf(object);
	// A Map, or an instance of a class, would silently become `{}`.
	const isPlain = prototype === Object.prototype || prototype === null;
	assert(isPlain, "an audit entry holds plain objects only");
	const members = Object.entries(object)
		.filter(([, member]) => member !== undefined)
		// By UTF-16 code units (section 3.2.3), not by anybody's alphabet.
		.sort(([one], [other]) => (one < other ? -1 : 1))
		.map(([name, member]) => `${writeText(name)}:${write(member, depth + 1)}`);
	return `{${members.join(",")}}`;
}
