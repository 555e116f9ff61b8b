import { type CanonicalRules, canonicalJson } from "#core/json/canonicalJson.ts";
import { custodyFault } from "#plugins/custody/faults.ts";
import { JSON_DEPTH_MAX } from "#plugins/custody/limits.ts";

function refused(what: string): Error {
	return custodyFault.refused({ detail: `cannot be signed: ${what}` });
}

const RULES: CanonicalRules = {
	depthMax: JSON_DEPTH_MAX,
	refused,
	replaceText(text) {
		if (!text.isWellFormed()) throw refused("text with half a character");
		return text;
	},
};

/**
 * Returns the one text that RFC 8785 (JCS) has for a value: what is signed on both sides.
 *
 * What JSON cannot hold exactly is refused and not left out: a member that silently disappears
 * would be signed as if nobody had asked for it.
 */
export function canonicalizeJson(value: unknown): string {
	return canonicalJson(value, RULES);
}
