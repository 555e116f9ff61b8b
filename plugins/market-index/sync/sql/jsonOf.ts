import { storablePayload } from "#plugins/market-index/payload/storablePayload.ts";

/** Returns a record of the provider's as `jsonb` accepts it; null where it cannot be stored. */
export function jsonOf(raw: Readonly<Record<string, unknown>>): string | null {
	const payload = storablePayload(raw);
	return payload && JSON.stringify(payload);
}
