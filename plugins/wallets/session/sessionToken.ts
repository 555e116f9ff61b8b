import { createHash, createHmac } from "node:crypto";
import { SESSION_TOKEN_BYTES } from "#plugins/wallets/limits.ts";

/** A prefix of its own, so that scanners of leaked text and our own reader know it at sight. */
const PREFIX = "svcs_";
const FORM = /^svcs_[A-Za-z0-9_-]{43}$/;

/** What a session is known by: 256 bits from the operating system, and no meaning in them. */
export const sessionToken = {
	create(randomBytes: (count: number) => Uint8Array): string {
		return PREFIX + Buffer.from(randomBytes(SESSION_TOKEN_BYTES)).toString("base64url");
	},

	isOne: (text: string): boolean => FORM.test(text),

	/**
	 * What is stored of it. With a secret, a row that somebody writes into the database opens no
	 * session, because they cannot make its hash.
	 */
	hash(token: string, secret: string | undefined): Uint8Array {
		const hash = secret === undefined ? createHash("sha256") : createHmac("sha256", secret);
		return hash.update(token).digest();
	},
};
