import { createHmac, timingSafeEqual } from "node:crypto";
import { webhookFault } from "#plugins/custody/webhook/faults.ts";
import {
	SIGNATURE_HEADER_LENGTH_MAX,
	SIGNATURES_PER_WEBHOOK_MAX,
	WEBHOOK_ID_LENGTH_MAX,
	WEBHOOK_TOLERANCE_MS,
} from "#plugins/custody/webhook/limits.ts";

const ID = new RegExp(`^[\\x21-\\x7e]{1,${WEBHOOK_ID_LENGTH_MAX}}$`);
const SECONDS = /^\d{1,12}$/;
const VERSION = "v1,";

/**
 * Returns the id of a delivery that the wallet provider sent in these very bytes, and lately: by
 * Svix's signature, HMAC-SHA256 over `id.timestamp.body`. Throws for every other delivery.
 *
 * Signatures of other versions are passed over, as Svix asks; each of ours is compared in constant
 * time and all of them are, so that time says nothing of which was nearly right.
 */
export function verifyWebhook(
	key: Uint8Array,
	given: { headers: Headers; body: Uint8Array; nowMs: number },
): string {
	const { headers, body, nowMs } = given;
	const id = headers.get("svix-id") ?? "";
	const timestamp = headers.get("svix-timestamp") ?? "";
	const signature = headers.get("svix-signature") ?? "";
	const isWhole = ID.test(id) && SECONDS.test(timestamp) && signature !== "";
	if (!isWhole || signature.length > SIGNATURE_HEADER_LENGTH_MAX)
		throw webhookFault.webhookHeaders();
	const signatures = signature.split(" ");
	if (signatures.length > SIGNATURES_PER_WEBHOOK_MAX) throw webhookFault.webhookHeaders();
	const mac = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body);
	const expected = Buffer.from(`${VERSION}${mac.digest("base64")}`);
	const right = signatures.filter((one) => isSame(Buffer.from(one), expected));
	if (right.length === 0) throw webhookFault.webhookSignature();
	// Behind the signature: only the provider learns what our clock says.
	const offMs = Math.abs(nowMs - Number(timestamp) * 1_000);
	if (offMs > WEBHOOK_TOLERANCE_MS) throw webhookFault.webhookTime();
	return id;
}

/** Compares in constant time. The length of a right one is no secret. */
function isSame(one: Uint8Array, other: Uint8Array): boolean {
	return one.length === other.length && timingSafeEqual(one, other);
}
