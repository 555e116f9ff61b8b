import { describe, expect, test } from "bun:test";
import { createPublicKey, generateKeyPairSync, verify } from "node:crypto";
import { createAuthorizer } from "#plugins/custody/sign/createAuthorizer.ts";
import { readAuthorizationKey } from "#plugins/custody/sign/readAuthorizationKey.ts";

const pair = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
const base64 = pair.privateKey.export({ format: "der", type: "pkcs8" }).toString("base64");
const request = {
	url: "https://wallets.test/v1/wallets/w1/rpc",
	body: { method: "personal_sign", params: { message: "hi", encoding: "utf-8" } },
	idempotencyKey: "key-1",
	expiresAtMs: 1_800_000_000_000,
};

describe("the authorization key", () => {
	test("is read with and without its prefix, and its public half is what quorums list", () => {
		const spki = pair.publicKey.export({ format: "der", type: "spki" }).toString("base64");
		expect(readAuthorizationKey(base64)?.publicKey).toBe(spki);
		expect(readAuthorizationKey(`wallet-auth:${base64}`)?.publicKey).toBe(spki);
	});

	test("is nothing but a P-256 private key", () => {
		const other = generateKeyPairSync("ec", { namedCurve: "secp384r1" }).privateKey;
		const rsa = generateKeyPairSync("rsa", { modulusLength: 1_024 }).privateKey;
		const spki = pair.publicKey.export({ format: "der", type: "spki" }).toString("base64");
		const wrong = [other, rsa].map((key) =>
			key.export({ format: "der", type: "pkcs8" }).toString("base64"),
		);
		for (const text of [...wrong, spki, "", "AAAA", `${base64} `, `x:${base64}`]) {
			expect(readAuthorizationKey(text)).toBeNull();
		}
	});
});

describe("an authorization signature", () => {
	const authorize = createAuthorizer({ appId: "app1", privateKey: pair.privateKey });

	test("[SEC-09] is over the whole request, in DER, and is all of the key that is sent", () => {
		const { headers, text } = authorize(request);
		const payload =
			'{"body":{"method":"personal_sign","params":{"encoding":"utf-8","message":"hi"}},' +
			'"headers":{"privy-app-id":"app1","privy-idempotency-key":"key-1",' +
			'"privy-request-expiry":"1800000000000"},"method":"POST",' +
			'"url":"https://wallets.test/v1/wallets/w1/rpc","version":1}';
		const signature = Buffer.from(headers["privy-authorization-signature"] ?? "", "base64");
		expect(holds(payload, signature)).toBe(true);
		// A DER sequence, and not the 64 bytes of a token's signature.
		expect(signature[0]).toBe(0x30);
		expect(text).toBe('{"method":"personal_sign","params":{"encoding":"utf-8","message":"hi"}}');
		const sent = JSON.stringify({ headers, text });
		const secret = pair.privateKey.export({ format: "jwk" }).d ?? "";
		for (const form of [base64, secret, Buffer.from(secret, "base64url").toString("hex")]) {
			expect(sent).not.toContain(form);
		}
	});

	test("does not hold for a longer life, another key, URL or body", () => {
		const { headers } = authorize(request);
		const signature = Buffer.from(headers["privy-authorization-signature"] ?? "", "base64");
		const changed = [
			{ ...request, expiresAtMs: request.expiresAtMs + 1 },
			{ ...request, idempotencyKey: "key-2" },
			{ ...request, url: `${request.url}/` },
			{ ...request, body: { ...request.body, method: "eth_sendTransaction" } },
		];
		for (const { url, body, idempotencyKey, expiresAtMs } of changed) {
			const other = JSON.stringify({
				body,
				headers: {
					"privy-app-id": "app1",
					"privy-idempotency-key": idempotencyKey,
					"privy-request-expiry": String(expiresAtMs),
				},
				method: "POST",
				url,
				version: 1,
			});
			expect(holds(other, signature)).toBe(false);
		}
	});
});

function holds(payload: string, signature: Buffer): boolean {
	const key = createPublicKey(pair.privateKey);
	return verify("sha256", Buffer.from(payload), { key, dsaEncoding: "der" }, signature);
}
