import { createHmac, timingSafeEqual } from "node:crypto";

export const SIGNATURE_HEADER = "x-twitter-webhooks-signature";
const PREFIX = "sha256=";

/** Returns the signature that X expects for a challenge, and sends with each delivery. */
export function signatureOf(secret: string, bytes: string | Uint8Array): string {
	return `${PREFIX}${createHmac("sha256", secret).update(bytes).digest("base64")}`;
}

/** Returns true if X signed exactly these bytes; compares in constant time. */
export function isSigned(secret: string, bytes: Uint8Array, header: string | null): boolean {
	const given = Buffer.from(header ?? "");
	const wanted = Buffer.from(signatureOf(secret, bytes));
	return given.length === wanted.length && timingSafeEqual(given, wanted);
}
