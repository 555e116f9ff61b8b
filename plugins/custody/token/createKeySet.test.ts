import { describe, expect, test } from "bun:test";
import { generateKeyPairSync } from "node:crypto";
import {
	KEY_SET_ASK_EVERY_MS,
	KEY_SET_FRESH_MS,
	KEY_SET_STALE_MS,
} from "#plugins/custody/limits.ts";
import { createKeySet } from "#plugins/custody/token/createKeySet.ts";

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
	test("are asked for once, however many tokens come together", async () => {
		const { state, keys } = open({ keys: [jwk("a"), jwk("b")] });
		const found = await Promise.all(Array.from({ length: 20 }, () => keys("a")));
		expect(found.every((key) => key?.type === "public")).toBe(true);
		expect(await keys("b")).not.toBeNull();
		expect(state.asked).toBe(1);
		state.nowMs += KEY_SET_FRESH_MS;
		await keys("a");
		expect(state.asked).toBe(2);
	});

	test("are asked for a name that is new, and not for each that is made up", async () => {
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

	test("hold for an hour while the provider is away, and no longer", async () => {
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

	test("while there never were any, nobody is signed in, and one question a second is asked", async () => {
		const { state, keys } = open(null);
		state.isAway = true;
		for (let round = 0; round < 2; round++) {
			const asking = Array.from({ length: 20 }, () => keys("a"));
			const told = await Promise.allSettled(asking);
			expect(told.every(({ status }) => status === "rejected")).toBe(true);
		}
		expect(state.asked).toBe(1);
	});

	test("that are no P-256 keys for signing are left out, and an empty set changes nothing", async () => {
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
