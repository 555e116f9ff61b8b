import { AssertionFailed } from "#core/fault/assert.ts";
import { type CanonicalRules, canonicalJson } from "#core/json/canonicalJson.ts";

const RULES: CanonicalRules = {
	/** Deeper than any answer of a node, and far from where the stack ends. */
	depthMax: 5_000,
	refused: (what) => new AssertionFailed(`JSON that is compared cannot hold ${what}`),
	skipsUndefined: true,
	indexesFirst: true,
};

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
