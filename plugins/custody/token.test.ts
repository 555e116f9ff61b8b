import { describe, expect, test } from "bun:test";
import { createHmac, generateKeyPairSync } from "node:crypto";
import {
	KEY_SET_ASK_EVERY_MS,
	KEY_SET_FRESH_MS,
	KEY_SET_STALE_MS,
} from "#plugins/custody/limits.ts";
import { createKeySet, createTokenVerifier, readVerificationKey } from "#plugins/custody/token.ts";
import { createTokens } from "#test/sandbox/custody/people.ts";

describe("createKeySet", () => {
	function jwk(kid: string) {
		const { publicKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
		return { ...publicKey.export({ format: "jwk" }), kid, alg: "ES256", use: "sig" };
	}

	function open(first: unknown) {
		const state = { nowMs: 0, asked: 0, answer: first, isAway: false };
		const keys = createKeySet({
			clock: { nowMs: () => state.nowMs },
			async ask() {
				state.asked += 1;
				await Promise.resolve();
				if (state.isAway) throw new Error("away");
				return state.answer;
			},
		});
		return { state, keys };
	}

	describe("the provider's published keys", () => {
		test("the published keys are fetched once for many simultaneous tokens", async () => {
			const { state, keys } = open({ keys: [jwk("a"), jwk("b")] });
			const found = await Promise.all(Array.from({ length: 20 }, () => keys("a")));
			expect(found.every((key) => key?.type === "public")).toBe(true);
			expect(await keys("b")).not.toBeNull();
			expect(state.asked).toBe(1);
			state.nowMs += KEY_SET_FRESH_MS;
			await keys("a");
			expect(state.asked).toBe(2);
		});

		test("the published keys are fetched again for an unknown key id, at most once in a while", async () => {
			const { state, keys } = open({ keys: [jwk("a")] });
			await keys("a");
			state.answer = { keys: [jwk("a"), jwk("b")] };
			expect(await keys("b")).toBeNull();
			expect(state.asked).toBe(1);
			state.nowMs += KEY_SET_ASK_EVERY_MS;
			expect(await keys("b")).not.toBeNull();
			for (let n = 0; n < 100; n++) expect(await keys(`made-up-${n}`)).toBeNull();
			expect(await keys(null)).toBeNull();
			expect(state.asked).toBe(2);
		});

		test("the published keys are used for an hour while the provider is down, and then refused", async () => {
			const { state, keys } = open({ keys: [jwk("a")] });
			await keys("a");
			state.isAway = true;
			state.nowMs += KEY_SET_STALE_MS - 1;
			expect(await keys("a")).not.toBeNull();
			await expect(keys("b")).resolves.toBeNull();
			state.nowMs += 1;
			await expect(keys("a")).rejects.toThrow("wallet_provider_unavailable");
			state.nowMs += 1_000;
			await expect(keys("a")).rejects.toThrow("away");
			state.isAway = false;
			state.nowMs += 1_000;
			expect(await keys("a")).not.toBeNull();
		});

		test("while keys were never fetched, nobody is signed in, and they are requested once a second", async () => {
			const { state, keys } = open(null);
			state.isAway = true;
			for (let round = 0; round < 2; round++) {
				const asking = Array.from({ length: 20 }, () => keys("a"));
				const told = await Promise.allSettled(asking);
				expect(told.every(({ status }) => status === "rejected")).toBe(true);
			}
			expect(state.asked).toBe(1);
		});

		test("a published key that is no P-256 signing key is ignored, and an empty set replaces nothing", async () => {
			const { x, y, kid } = jwk("odd");
			const odd = [
				{ kty: "RSA", n: "AQAB", e: "AQAB", kid: "rsa" },
				{ kty: "oct", k: "c2VjcmV0", kid: "mac" },
				{ kty: "EC", crv: "P-256", x, y: x, kid: "off-curve" },
				{ kty: "EC", crv: "P-256", x, y, kid, use: "enc" },
				{ kty: "EC", crv: "P-256", x, y },
				null,
			];
			const { state, keys } = open({ keys: [...odd, jwk("a")] });
			for (const name of ["rsa", "mac", "off-curve", "odd"]) expect(await keys(name)).toBeNull();
			expect(await keys("a")).not.toBeNull();
			state.answer = { keys: [] };
			state.nowMs += KEY_SET_FRESH_MS;
			expect(await keys("a")).not.toBeNull();
		});
	});
});

describe("createTokenVerifier", () => {
	const clock = { nowMs: () => 1_800_000_000_000 };
	const nowS = clock.nowMs() / 1_000;
	const tokens = createTokens({ appId: "app1", clock });
	const key = readVerificationKey(tokens.verificationKey);
	const verify = createTokenVerifier({ appId: "app1", clock, keys: async () => key });
	const good = { userId: "did:privy:1" };

	async function isRefused(token: string): Promise<void> {
		// The token itself is nowhere in what is thrown.
		const thrown = await verify(token).then(
			(user) => expect(user).toBe("a refusal" as never),
			(error: unknown) => error,
		);
		expect(thrown).toMatchObject({ code: "unauthorized", status: 401 });
		if (token.length > 8) expect(Bun.inspect(thrown)).not.toContain(token);
	}

	describe("an access token", () => {
		test("an access token gives its user and when it was issued", async () => {
			const issued: [iat: number | undefined, issuedAtMs: number][] = [
				[nowS - 600, clock.nowMs() - 600_000],
				// One that claims to be from the future is from now.
				[nowS + 30, clock.nowMs()],
				// A stolen one must not become a fresh sign-in: without a time it is as old as can be.
				[undefined, 0],
				[-1, 0],
			];
			for (const [iat, issuedAtMs] of issued) {
				const token = tokens.mint({ ...good, claims: { iat } });
				expect(await verify(token)).toEqual({ userId: "did:privy:1", issuedAtMs });
			}
		});

		test("an access token is valid until its expiry, and not at that moment", async () => {
			await verify(tokens.mint({ ...good, expiresInS: 1 }));
			await isRefused(tokens.mint({ ...good, expiresInS: 0 }));
			await isRefused(tokens.mint({ ...good, expiresInS: -1 }));
		});

		test("an access token with a life of more than a day is refused, because it cannot be revoked", async () => {
			const dayS = 86_400;
			await verify(tokens.mint({ ...good, expiresInS: dayS }));
			for (const expiresInS of [dayS + 1, 2 * dayS, 10 * 365 * dayS, Number.MAX_SAFE_INTEGER]) {
				await isRefused(tokens.mint({ ...good, expiresInS }));
			}
			await isRefused(tokens.mint({ ...good, claims: { exp: 1e300 } }));
			// Milliseconds where seconds are meant.
			await isRefused(tokens.mint({ ...good, claims: { exp: clock.nowMs() + 60_000 } }));
		});

		const wrong: [string, Record<string, unknown>][] = [
			["another issuer", { iss: "privy.io.evil" }],
			["no issuer", { iss: undefined }],
			["another application", { aud: "app2" }],
			["two applications", { aud: ["app1", "app2"] }],
			["no application", { aud: undefined }],
			["nobody", { sub: "" }],
			["no expiry", { exp: undefined }],
			["an expiry of text", { exp: String(nowS + 60) }],
			["an expiry of null", { exp: null }],
			["a birth in an hour", { iat: nowS + 3_600 }],
			["no validity yet", { nbf: nowS + 3_600 }],
		];
		test.each(wrong)("an access token with %s is refused", async (_, claims) => {
			await isRefused(tokens.mint({ ...good, claims }));
		});

		test("an access token is verified as ES256 whatever its header asks for", async () => {
			for (const header of [
				{ alg: "none" },
				{ alg: "HS256" },
				{ alg: "ES384" },
				{ alg: undefined },
				{ crit: ["exp"] },
				{ typ: "dpop+jwt" },
			]) {
				await isRefused(tokens.mint({ ...good, header }));
			}
			// The classic: a MAC keyed by the public key.
			const [head, body] = tokens.mint({ ...good, header: { alg: "HS256" } }).split(".");
			const mac = createHmac("sha256", tokens.verificationKey).update(`${head}.${body}`);
			await isRefused(`${head}.${body}.${mac.digest("base64url")}`);
			await isRefused(`${head}.${body}.`);
		});

		test("an access token in another encoding, longer or shorter is refused", async () => {
			const token = tokens.mint(good);
			const [head = "", body = "", mac = ""] = token.split(".");
			const zeros = Buffer.alloc(64).toString("base64url");
			const oversize = tokens.mint({ ...good, claims: { padding: "x".repeat(5_000) } });
			const spellings = [
				"",
				".",
				"..",
				"a.b.c",
				`${token}.`,
				`${token}=`,
				`${head}.${body}`,
				`${head}.${body}.${zeros}`,
				`${head}.${body}.${mac.slice(0, -2)}`,
				`${head}.${body}.${mac}AA`,
				`${head}.${body}.${mac.slice(0, 9)}!${mac.slice(9)}`,
				` ${token}`,
				`${head}.${Buffer.from('{"sub":"x"}').toString("base64url")}.${mac}`,
				oversize,
			];
			for (const spelling of spellings) await isRefused(spelling);
		});

		test("an access token signed by another key is refused", async () => {
			await isRefused(createTokens({ appId: "app1", clock }).mint(good));
		});

		test("an access token that is malformed is refused without fetching keys", async () => {
			let asked = 0;
			const keys = async () => {
				asked += 1;
				return key;
			};
			const counted = createTokenVerifier({ appId: "app1", clock, keys });
			await counted(tokens.mint({ ...good, expiresInS: -5 })).catch(() => {});
			await counted("a.b.c").catch(() => {});
			expect(asked).toBe(0);
		});
	});

	test("a verification key is read in PEM, in PEM on one line, and in base64", () => {
		const pem = tokens.verificationKey;
		const base64 = key?.export({ format: "der", type: "spki" }).toString("base64") ?? "";
		for (const text of [pem, pem.replaceAll("\n", "\\n"), base64]) {
			expect(readVerificationKey(text)?.equals(key as never)).toBe(true);
		}
		const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "secp384r1" });
		const wrong = [
			"",
			"-----BEGIN PUBLIC KEY-----",
			publicKey.export({ format: "pem", type: "spki" }).toString(),
			privateKey.export({ format: "pem", type: "pkcs8" }).toString(),
		];
		for (const text of wrong) expect(readVerificationKey(text)).toBeNull();
	});
});
