import { expect, test } from "bun:test";
import fc from "fast-check";
import { URI_LENGTH_MAX } from "#plugins/market-index/tokens/limits.ts";
import { shownUri, storableUri } from "#plugins/market-index/tokens/storableUri.ts";

test("where a document was read from is kept as the contract told it, a held one without content", () => {
	for (const uri of ["ipfs://cats/7", "http://10.0.0.7:8080/7.json", "ar://x", "7.json"]) {
		expect(storableUri(uri)).toBe(uri);
	}
	expect(storableUri('data:application/json,{"a":1}')).toBe("data:application/json,");
	expect(storableUri("https://a.test/\u202e7\u0000\ud800")).toBe(
		"https://a.test/%E2%80%AE7%00%EF%BF%BD".replace("%EF%BF%BD", "\ufffd"),
	);
});

test("of one that nobody could read, only what a page may link to is shown", () => {
	expect(shownUri("https://a.test/7")).toBe("https://a.test/7");
	expect(shownUri("ipfs://cats/7")).toBe("ipfs://cats/7");
	expect(shownUri("https://me:secret@a.test/7")).toBe("https://a.test/7");
	const refused = ["javascript:alert(1)", "http://169.254.169.254/latest", "file:///etc/passwd"];
	for (const uri of [...refused, "http://localhost/7", "7.json", ""]) {
		expect(shownUri(uri)).toBeNull();
	}
});

test("whatever a contract tells, what is stored is bounded and shows all of its characters", () => {
	fc.assert(
		fc.property(fc.string({ unit: "binary", maxLength: 6_000 }), (uri) => {
			const stored = storableUri(uri);
			expect(stored.length).toBeLessThanOrEqual(URI_LENGTH_MAX);
			expect(stored).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
			expect(stored.isWellFormed()).toBe(true);
		}),
	);
});
