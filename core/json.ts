// Reads JSON that may be none, and writes it in one canonical form for hashes and comparisons.

import { AssertionFailed } from "#core/fault.ts";

/** Says how values are treated that JSON cannot hold exactly. */
export type CanonicalRules = {
	/** Levels of nesting that are written; also what ends a cycle. */
	depthMax: number;
	/** Returns the error for a value that cannot be written; `what` is such as "a number that …". */
	refused(what: string): Error;
	/** Replaces a value before it is written; left out: nothing is replaced. */
	replace?(value: unknown): unknown;
	/**
	 * Called with each string and each member's name; returns what is written in its place, or
	 * throws. Without it a lone surrogate (half of a UTF-16 pair) is written as `\udXXX`.
	 */
	replaceText?(text: string): string;
	/** True where members that are undefined are left out, as `JSON.stringify` does. */
	skipsUndefined?: boolean;
	/**
	 * True where names that look like array indexes come first, by their number, as engines order
	 * them. Not the RFC's order: kept for the hashes that were stored with it.
	 */
	indexesFirst?: boolean;
};

/** The largest name that engines treat as an index of an array. */
const INDEX_MAX = 2 ** 32 - 2;

const RULES: CanonicalRules = {
	/** Deeper than any answer of a node, and far from where the stack ends. */
	depthMax: 5_000,
	refused: (what) => new AssertionFailed(`JSON that is compared cannot hold ${what}`),
	skipsUndefined: true,
	indexesFirst: true,
};

/** Returns what a text holds as JSON; undefined where it is none. */
export function readJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

/**
 * Returns a JSON value as text in which the order of members no longer counts: two values are equal
 * where their texts are.
 *
 * Stored hashes of idempotency keys, plans and cancellations are made of this text, so not a byte
 * of it may change. It is RFC 8785 but for names that look like indexes of arrays: see
 * `indexesFirst`.
 */
export function stableJson(value: unknown): string {
	return canonicalJson(value, RULES);
}

/**
 * Returns the one text that RFC 8785 (JCS) has for a value: equal values have equal texts, and so
 * equal hashes, whatever the order of their members. What JSON cannot hold is refused and not left
 * out, unless the rules say otherwise.
 */
export function canonicalJson(value: unknown, rules: CanonicalRules): string {
	return write(value, rules, 0);
}

function write(given: unknown, rules: CanonicalRules, depth: number): string {
	if (depth > rules.depthMax) throw rules.refused("too deeply nested");
	const value = rules.replace ? rules.replace(given) : given;
	switch (typeof value) {
		case "boolean":
			return String(value);
		case "number":
			if (!Number.isFinite(value)) throw rules.refused("a number that JSON cannot hold");
			// ECMAScript's own text for a double is what section 3.2.2.3 asks for; -0 is 0.
			return JSON.stringify(value);
		case "string":
			return writeText(value, rules);
		case "object":
			if (value === null) return "null";
			if (Array.isArray(value)) return writeArray(value, rules, depth);
			return writeObject(value, rules, depth);
		default:
			throw rules.refused(`a value of type ${typeof value}`);
	}
}

function writeText(given: string, rules: CanonicalRules): string {
	const text = rules.replaceText ? rules.replaceText(given) : given;
	return JSON.stringify(text);
}

function writeArray(items: readonly unknown[], rules: CanonicalRules, depth: number): string {
	let text = "[";
	// By index: iteration with `map` steps over holes.
	for (let index = 0; index < items.length; index++) {
		text += `${index === 0 ? "" : ","}${write(items[index], rules, depth + 1)}`;
	}
	return `${text}]`;
}

function writeObject(object: object, rules: CanonicalRules, depth: number): string {
	const prototype: unknown = Object.getPrototypeOf(object);
	// A Map, or an instance of a class, would silently become `{}`.
	const isPlain = prototype === Object.prototype || prototype === null;
	if (!isPlain) throw rules.refused("an object of a class");
	// By UTF-16 code units (section 3.2.3), not by anybody's alphabet.
	const names = Object.keys(object).sort();
	if (rules.indexesFirst && names.some(isIndex)) names.sort(indexesFirst);
	let text = "{";
	for (const name of names) {
		const member: unknown = Reflect.get(object, name);
		if (member === undefined && rules.skipsUndefined) continue;
		const separator = text === "{" ? "" : ",";
		text += `${separator}${writeText(name, rules)}:${write(member, rules, depth + 1)}`;
	}
	return `${text}}`;
}

function isIndex(name: string): boolean {
	return Number.isFinite(indexOf(name));
}

/** Returns the index of an array that a name is; infinite for all other names. */
function indexOf(name: string): number {
	if (!/^(?:0|[1-9]\d{0,9})$/.test(name)) return Number.POSITIVE_INFINITY;
	const index = Number(name);
	return index <= INDEX_MAX ? index : Number.POSITIVE_INFINITY;
}

/** Compares two names: indexes first, by number; all other names stay in their order. */
function indexesFirst(one: string, other: string): number {
	const [index, otherIndex] = [indexOf(one), indexOf(other)];
	return index === otherIndex ? 0 : index - otherIndex;
}
