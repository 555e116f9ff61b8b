import type { Seal } from "#plugins/social/x/seal.ts";

const SEALED = "s:";
const PLAIN = "p:";

/**
 * Encrypts a private text for the database while it waits, and decrypts it: it may hold a link that
 * confirms a payment. Without the deployment's secret it is stored unencrypted.
 */
export const privateBody = {
	close(text: string, seal: Seal | null): string {
		if (seal === null) return `${PLAIN}${text}`;
		return `${SEALED}${Buffer.from(seal.close(text)).toString("base64")}`;
	},
	/** Returns the text; null if it was sealed with another secret. */
	open(body: string, seal: Seal | null): string | null {
		if (body.startsWith(PLAIN)) return body.slice(PLAIN.length);
		if (seal === null || !body.startsWith(SEALED)) return null;
		return seal.open(Buffer.from(body.slice(SEALED.length), "base64"));
	},
};
