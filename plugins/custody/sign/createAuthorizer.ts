import { type KeyObject, sign } from "node:crypto";
import { canonicalizeJson } from "#plugins/custody/sign/canonicalizeJson.ts";

export type AuthorizedRequest = {
	/** In full, without a slash at its end. */
	url: string;
	body: Readonly<Record<string, unknown>>;
	idempotencyKey: string;
	expiresAtMs: number;
};

/** Headers for a request, and the very bytes of its body that were signed. */
export type Authorize = (request: AuthorizedRequest) => {
	headers: Record<string, string>;
	text: string;
};

/**
 * Signs requests with the authorization key, as the provider checks them: DER-encoded ECDSA P-256
 * over SHA-256 of the request's canonical JSON. Key, expiry and application are part of it, so
 * nobody on the way can give a request a longer life or another key.
 */
export function createAuthorizer(options: { appId: string; privateKey: KeyObject }): Authorize {
	const { appId, privateKey } = options;
	return ({ url, body, idempotencyKey, expiresAtMs }) => {
		const signed = {
			"privy-app-id": appId,
			"privy-idempotency-key": idempotencyKey,
			"privy-request-expiry": String(expiresAtMs),
		};
		const payload = canonicalizeJson({ version: 1, method: "POST", url, body, headers: signed });
		const signature = sign("sha256", Buffer.from(payload), {
			key: privateKey,
			dsaEncoding: "der",
		});
		return {
			headers: { ...signed, "privy-authorization-signature": signature.toString("base64") },
			text: canonicalizeJson(body),
		};
	};
}
