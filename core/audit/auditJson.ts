import { AssertionFailed } from "#core/fault/assert.ts";
import { type CanonicalRules, canonicalJson } from "#core/json/canonicalJson.ts";

/** A bigint is its digits, and a time its text. */
function replace(value: unknown): unknown {
	if (typeof value === "bigint") return value.toString();
	return value instanceof Date ? value.toISOString() : value;
}

const RULES: CanonicalRules = {
	/** Deeper than anything an entry has to say. */
	depthMax: 32,
	refused: (what) => new AssertionFailed(`an audit entry cannot hold ${what}`),
	replace,
	/** What PostgreSQL could not read as jsonb: NUL, and half a surrogate pair. */
	replaceText: (text) => text.replaceAll("\0", "\uFFFD").toWellFormed(),
	skipsUndefined: true,
};

/**
 * Returns an entry as the one text that RFC 8785 has for it, so that equal entries have equal
 * hashes. Where the RFC has none: a bigint is its digits, members that are undefined are left out,
 * and a text that no jsonb can hold becomes one that it can: a stranger's name must not keep an
 * entry from being written.
 */
export function auditJson(value: unknown): string {
	return canonicalJson(value, RULES);
}
