import { describe, expect, test } from "bun:test";
import { createPublicKey, generateKeyPairSync, verify } from "node:crypto";
import fc from "fast-check";
import { canonicalizeJson, createAuthorizer, readAuthorizationKey } from "#plugins/custody/sign.ts";

describe("canonicalizeJson", () => {
	describe("canonical JSON (RFC 8785)", () => {
		test("canonical JSON matches the RFC's own example of literals, text and numbers", () => {
			const value = {
				// biome-ignore lint/correctness/noPrecisionLoss: the RFC's own number.
				numbers: [333333333.33333329, 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
				string: '\u20ac$\u000f\nA\'B"\\\\"/',
				literals: [null, true, false],
			};
			expect(canonicalizeJson(value)).toBe(
				'{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],' +
					'"string":"\u20ac$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
			);
		});

		test("sorts names by UTF-16 code units, as the RFC's example does", () => {
			const value = {
				"\u20ac": "Euro Sign",
				"\r": "Carriage Return",
				"\ufb33": "Hebrew Letter Dalet With Dagesh",
				"1": "One",
				"\ud83d\ude00": "Emoji: Grinning Face",
				"\u0080": "Control",
				"\u00f6": "Latin Small Letter O With Diaeresis",
			};
			const order = [...canonicalizeJson(value).matchAll(/:"(\w+)/g)].map((match) => match[1]);
			expect(order).toEqual(["Carriage", "One", "Control", "Latin", "Euro", "Emoji", "Hebrew"]);
		});

		test("sorts names that look like integers as text", () => {
			expect(canonicalizeJson({ 9: 1, 10: 2, 1: 3 })).toBe('{"1":3,"10":2,"9":1}');
		});

		// Appendix B, by the doubles' own bits.
		const doubles: [string, string][] = [
			["0000000000000000", "0"],
			["8000000000000000", "0"],
			["0000000000000001", "5e-324"],
			["8000000000000001", "-5e-324"],
			["7fefffffffffffff", "1.7976931348623157e+308"],
			["4340000000000000", "9007199254740992"],
			["c340000000000000", "-9007199254740992"],
			["4430000000000000", "295147905179352830000"],
			["44b52d02c7e14af5", "9.999999999999997e+22"],
			["44b52d02c7e14af6", "1e+23"],
			["44b52d02c7e14af7", "1.0000000000000001e+23"],
			["444b1ae4d6e2ef4e", "999999999999999700000"],
			["444b1ae4d6e2ef4f", "999999999999999900000"],
			["444b1ae4d6e2ef50", "1e+21"],
			["3eb0c6f7a0b5ed8c", "9.999999999999997e-7"],
			["3eb0c6f7a0b5ed8d", "0.000001"],
			["41b3de4355555553", "333333333.3333332"],
			["41b3de4355555555", "333333333.3333333"],
			["becbf647612f3696", "-0.0000033333333333333333"],
			["43143ff3c1cb0959", "1424953923781206.2"],
		];
		test.each(doubles)("canonical JSON writes the double %s as %s", (bits, text) => {
			expect(canonicalizeJson(Buffer.from(bits, "hex").readDoubleBE())).toBe(text);
		});

		test("canonical JSON is the same for any order of members, and parses to the same value", () => {
			fc.assert(
				fc.property(fc.jsonValue(), (value) => {
					const text = canonicalizeJson(value);
					expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
					expect(canonicalizeJson(reversed(value))).toBe(text);
					expect(canonicalizeJson(JSON.parse(text))).toBe(text);
				}),
			);
		});

		test("a value that JSON would drop, round or make up is refused", () => {
			const cyclic: unknown[] = [];
			cyclic.push(cyclic);
			const odd = [
				undefined,
				1n,
				Number.NaN,
				Number.POSITIVE_INFINITY,
				() => 1,
				Symbol("x"),
				new Date(0),
				new Map(),
				"half \ud800",
				// A hole.
				new Array(1),
				cyclic,
			];
			for (const value of odd) {
				expect(() => canonicalizeJson({ value })).toThrow("wallet_provider_refused");
			}
			expect(() => canonicalizeJson({ "\udc00": 1 })).toThrow("wallet_provider_refused");
		});
	});

	function reversed(value: unknown): unknown {
		if (Array.isArray(value)) return value.map(reversed);
		if (typeof value !== "object" || value === null) return value;
		return Object.fromEntries(
			Object.entries(value)
				.reverse()
				.map(([name, inner]) => [name, reversed(inner)]),
		);
	}
});

describe("createAuthorizer", () => {
	const pair = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
	const base64 = pair.privateKey.export({ format: "der", type: "pkcs8" }).toString("base64");
	const request = {
		url: "https://wallets.test/v1/wallets/w1/rpc",
		body: { method: "personal_sign", params: { message: "hi", encoding: "utf-8" } },
		idempotencyKey: "key-1",
		expiresAtMs: 1_800_000_000_000,
	};

	describe("the authorization key", () => {
		test("an authorization key is read with and without its prefix, and gives its public key", () => {
			const spki = pair.publicKey.export({ format: "der", type: "spki" }).toString("base64");
			expect(readAuthorizationKey(base64)?.publicKey).toBe(spki);
			expect(readAuthorizationKey(`wallet-auth:${base64}`)?.publicKey).toBe(spki);
		});

		test("a text that is no P-256 private key is refused as authorization key", () => {
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

		test("[SEC-09] the signature covers the whole request, and nothing else of the key is sent", () => {
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

		test("a signature is invalid for a longer expiry, another key, URL or body", () => {
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
});
