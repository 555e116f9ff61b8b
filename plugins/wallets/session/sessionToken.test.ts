import { expect, test } from "bun:test";
import { createHash, randomBytes } from "node:crypto";
import { sessionToken } from "#plugins/wallets/session/sessionToken.ts";

test("a token is 256 bits of chance behind a prefix of ours", () => {
	const asked: number[] = [];
	const made = Array.from({ length: 500 }, () =>
		sessionToken.create((count) => {
			asked.push(count);
			return randomBytes(count);
		}),
	);
	expect(new Set(asked)).toEqual(new Set([32]));
	expect(new Set(made).size).toBe(500);
	expect(made.every(sessionToken.isOne)).toBe(true);
	for (const text of ["", "svcs_", "svcs_abc", `x${made[0]}`, `${made[0]}=`, "a.b.c"]) {
		expect(sessionToken.isOne(text)).toBe(false);
	}
});

test("what is stored is SHA-256 of it, keyed where the deployment has a secret", () => {
	const token = sessionToken.create(randomBytes);
	const plain = sessionToken.hash(token, undefined);
	expect(plain).toEqual(createHash("sha256").update(token).digest());
	const keyed = sessionToken.hash(token, "a".repeat(32));
	expect(keyed).toHaveLength(32);
	expect(keyed).not.toEqual(plain);
	expect(keyed).not.toEqual(sessionToken.hash(token, "b".repeat(32)));
	expect(keyed).toEqual(sessionToken.hash(token, "a".repeat(32)));
});
