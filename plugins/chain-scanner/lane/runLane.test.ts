import { describe, expect, test } from "bun:test";
import { padHex, toHex } from "viem";
import { isNews } from "#plugins/chain-scanner/lane/runLane.ts";

describe("isNews", () => {
	const hash = (what: number) => padHex(toHex(what), { size: 32 });
	const at = { cursor: 5, cursorHash: hash(5), sound: hash(50) };
	const head = (number: number, own: number, parent = number - 1) => {
		return { number, hash: hash(own), parentHash: hash(parent) };
	};

	test("a head that follows, is further above or is the lane's own block starts no fork check", () => {
		expect(isNews(at, head(6, 6))).toBe(false);
		expect(isNews(at, head(7, 7, 60))).toBe(false);
		expect(isNews(at, head(5, 5))).toBe(false);
	});

	test("a head that contradicts the lane's last block starts a fork check, once for each head", () => {
		for (const other of [head(5, 15), head(4, 14), head(6, 16, 15)]) {
			expect(isNews(at, other)).toBe(true);
			expect(isNews({ ...at, sound: other.hash }, other)).toBe(false);
		}
	});

	test("no head starts a fork check in a lane that has stored nothing", () => {
		expect(isNews({ cursor: null, cursorHash: null, sound: null }, head(5, 15))).toBe(false);
	});
});
