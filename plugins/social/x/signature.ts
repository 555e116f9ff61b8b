import { createHmac, timingSafeEqual } from "node:crypto";

export const SIGNATURE_HEADER = "x-twitter-webhooks-signature";
const PREFIX = "sha256=";

/** Returns what X wants for a challenge, and what it sends with each delivery: one signature. */
export function signatureOf(secret: string, bytes: string | Uint8Array): string {
	return `${PREFIX}${createHmac("sha256", secret).update(bytes).digest("base64")}`;
}

/** Whether X signed these very bytes; in constant time for whatever has the right length. */
export function isSigned(secret: string, bytes: Uint8Array, header: string | null): boolean {
	const given = Buffer.from(header ?? "");
	const wanted = Buffer.from(signatureOf(secret, bytes));
	return given.length === wanted.length && timingSafeEqual(given, wanted);
}
