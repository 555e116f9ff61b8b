import type { Payload } from "#plugins/market-index/payload/Payload.ts";

/** Characters of a payload's JSON that are worth keeping. */
const PAYLOAD_LENGTH_MAX = 262_144;

/** Levels of nesting: PostgreSQL gives up with `stack depth limit exceeded` at some thousand. */
const PAYLOAD_DEPTH_MAX = 64;

/** NUL, and halves of surrogate pairs: `JSON.stringify` escapes these and never a whole pair. */
const UNSTORABLE = /\\u(?:0000|d[89a-f][0-9a-f]{2})/;

/** Each escape as a whole, so that `\\u0000` (a backslash and text) is not taken for a NUL. */
const ESCAPES = /\\(?:u([0-9a-f]{4})|.)/g;

/**
 * Returns JSON as `jsonb` can hold it: NUL and lone surrogates, which it refuses (22P05, 22P02),
 * become the replacement character. Null where it is too large or too deep. For what must not be
 * changed otherwise, such as a signed order; whatever is shown goes through `storablePayload`.
 */
export function storableJson(payload: Payload | null): Payload | null {
	if (payload === null || isDeeper(payload, PAYLOAD_DEPTH_MAX)) return null;
	const text = JSON.stringify(payload);
	if (text.length > PAYLOAD_LENGTH_MAX) return null;
	if (!UNSTORABLE.test(text)) return payload;
	return JSON.parse(
		text.replace(ESCAPES, (whole, code?: string) => {
			return code === "0000" || code?.startsWith("d") ? "\ufffd" : whole;
		}),
	);
}

/** Says whether a value is too deep; ends at the first branch that is. */
function isDeeper(value: unknown, levels: number): boolean {
	if (typeof value !== "object" || value === null) return false;
	return levels === 0 || Object.values(value).some((part) => isDeeper(part, levels - 1));
}
