import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

/** Encrypts texts for the database, and decrypts them. */
export type Seal = {
	close(text: string): Uint8Array;
	/** Returns the text; null if it was sealed by another key, or changed since. */
	open(sealed: Uint8Array): string | null;
};

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Makes a seal (AES-256-GCM) with a key that is derived from the deployment's secret for one
 * purpose: neither a copy of the database nor another purpose's key opens it.
 */
export function createSeal(secret: string, purpose: string): Seal {
	const key = Buffer.from(hkdfSync("sha256", secret, "", `tapeline social ${purpose}`, KEY_BYTES));
	return {
		close(text) {
			const nonce = randomBytes(NONCE_BYTES);
			const cipher = createCipheriv("aes-256-gcm", key, nonce);
			const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
			return Buffer.concat([nonce, cipher.getAuthTag(), body]);
		},
		open(sealed) {
			if (sealed.byteLength < NONCE_BYTES + TAG_BYTES) return null;
			const bytes = Buffer.from(sealed);
			const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, NONCE_BYTES));
			decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
			try {
				const body = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES));
				return Buffer.concat([body, decipher.final()]).toString("utf8");
			} catch {
				return null;
			}
		},
	};
}
