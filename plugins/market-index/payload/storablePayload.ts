import { cleanPayload } from "#plugins/market-index/payload/cleanPayload.ts";
import type { Payload } from "#plugins/market-index/payload/Payload.ts";
import { storableJson } from "#plugins/market-index/payload/storableJson.ts";

/**
 * Returns a provider's words in the form that is stored and shown: clean (`cleanPayload`), and
 * valid for `jsonb`. Null where they are too large or too deep: their subject is then stored
 * without them. The frame and the route that reads it back show the same.
 */
export function storablePayload(payload: Payload | null): Payload | null {
	const storable = storableJson(payload);
	return storable && cleanPayload(storable);
}
