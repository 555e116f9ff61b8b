import { SECRET_BYTES_MAX, SECRET_BYTES_MIN } from "#plugins/custody/webhook/limits.ts";

const PREFIX = "whsec_";
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Returns the key in a `whsec_…` secret; null: it is none. The prefix is no part of the key. */
export function readWebhookSecret(text: string): Uint8Array | null {
	const base64 = text.slice(PREFIX.length);
	if (!text.startsWith(PREFIX) || !BASE64.test(base64)) return null;
	const key = Buffer.from(base64, "base64");
	return key.length >= SECRET_BYTES_MIN && key.length <= SECRET_BYTES_MAX ? key : null;
}
