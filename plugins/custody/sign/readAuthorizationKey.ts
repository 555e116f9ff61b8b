import { createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";

export type AuthorizationKey = {
	/** Stays in this process: only signatures made with it leave. */
	privateKey: KeyObject;
	/** SPKI in base64, as the provider lists it among a quorum's keys. */
	publicKey: string;
};

const PREFIX = "wallet-auth:";
const BASE64 = /^[A-Za-z0-9+/]{40,2000}={0,2}$/;

/** Reads a P-256 key in PKCS #8, base64, as the provider hands it out; null: it is none. */
export function readAuthorizationKey(text: string): AuthorizationKey | null {
	const base64 = text.startsWith(PREFIX) ? text.slice(PREFIX.length) : text;
	if (!BASE64.test(base64)) return null;
	try {
		const der = Buffer.from(base64, "base64");
		const privateKey = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
		if (privateKey.asymmetricKeyDetails?.namedCurve !== "prime256v1") return null;
		const spki = createPublicKey(privateKey).export({ format: "der", type: "spki" });
		return { privateKey, publicKey: spki.toString("base64") };
	} catch {
		// Without the error: it may quote what was parsed.
		return null;
	}
}
