import { expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { createNonce } from "#plugins/wallets/siwe/createNonce.ts";

test("[TRD-10] a nonce is 24 letters and digits, and none comes twice", () => {
	const made = Array.from({ length: 2_000 }, () => createNonce(randomBytes));
	for (const nonce of made) expect(nonce).toMatch(/^[A-Za-z0-9]{24}$/);
	expect(new Set(made).size).toBe(made.length);
});

test("[TRD-10] every character depends on chance, and chance decides at least 128 bits", () => {
	const made = Array.from({ length: 500 }, () => createNonce(randomBytes));
	for (let place = 0; place < 24; place++) {
		// 62 characters: that 500 draws show fewer than 40 of them happens to nobody.
		expect(new Set(made.map((nonce) => nonce[place])).size).toBeGreaterThan(40);
	}
	expect(24 * Math.log2(62)).toBeGreaterThan(128);
	const asked: number[] = [];
	createNonce((count) => {
		asked.push(count);
		return randomBytes(count);
	});
	expect(asked).toEqual([32]);
});
