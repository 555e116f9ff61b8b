import type { Seal } from "#plugins/social/x/seal.ts";

const SEALED = "s:";
const PLAIN = "p:";

/**
 * Writes a private text as it lies in the database while it waits, and reads it again: it may hold
 * a link by which somebody says yes. Without a secret of the deployment's it lies there as it is.
 */
export const privateBody = {
	close(text: string, seal: Seal | null): string {
		if (seal === null) return `${PLAIN}${text}`;
		return `${SEALED}${Buffer.from(seal.close(text)).toString("base64")}`;
	},
	/** Null: the secret is another one now. */
	open(body: string, seal: Seal | null): string | null {
		if (body.startsWith(PLAIN)) return body.slice(PLAIN.length);
		if (seal === null || !body.startsWith(SEALED)) return null;
		return seal.open(Buffer.from(body.slice(SEALED.length), "base64"));
	},
};
