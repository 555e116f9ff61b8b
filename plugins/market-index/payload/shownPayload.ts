import { cleanPayload } from "#plugins/market-index/payload/cleanPayload.ts";
import type { Payload } from "#plugins/market-index/payload/Payload.ts";

/** The members of a provider's event that API answers show, cleaned. */
export type ShownPayload = {
	imageUrl: string | null;
	traits: unknown[] | null;
	providerPayload: Payload | null;
};

/**
 * Returns image and traits, wherever the provider put them: on the event itself, in its `nft`
 * (sales and transfers over REST), `asset` (orders) or `item.metadata` (the stream). The image is
 * `image_url`, then `display_image_url`. Cleaned here as well as when stored: some rows are older
 * than the cleaning.
 */
export function shownPayload(stored: Payload | null): ShownPayload {
	if (stored === null) return { imageUrl: null, traits: null, providerPayload: null };
	const payload = cleanPayload(stored);
	const parts = partsOf(payload);
	const traits = parts.map((part) => part["traits"]).find((value) => Array.isArray(value)) ?? null;
	const imageUrl = textIn(parts, "image_url") ?? textIn(parts, "display_image_url");
	return { imageUrl, traits, providerPayload: payload };
}

/** Returns the objects to look in, outermost first. The stream wraps its events once more. */
function partsOf(payload: Payload): Payload[] {
	const inner = partOf(payload, "payload");
	const parts: Payload[] = [];
	for (const event of inner ? [payload, inner] : [payload]) {
		const item = partOf(event, "item");
		for (const part of [
			event,
			partOf(event, "nft"),
			partOf(event, "asset"),
			item && partOf(item, "metadata"),
		]) {
			if (part) parts.push(part);
		}
	}
	return parts;
}

function partOf(payload: Payload, key: string): Payload | null {
	const value = payload[key];
	return isRecord(value) ? value : null;
}

function isRecord(value: unknown): value is Payload {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

function textIn(parts: readonly Payload[], key: string): string | null {
	for (const part of parts) {
		const value = part[key];
		if (typeof value === "string" && value !== "") return value;
	}
	return null;
}
