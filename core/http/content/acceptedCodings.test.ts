import { expect, test } from "bun:test";
import fc from "fast-check";
import { acceptedCodings } from "#core/http/content/acceptedCodings.ts";
import type { ContentCoding } from "#core/http/content/ContentCoding.ts";

type Coding = ContentCoding | undefined;
const cases: [header: string | null, large: Coding, small: Coding][] = [
	[null, "identity", "identity"],
	["", "identity", "identity"],
	["gzip", "gzip", "identity"],
	["x-gzip", "gzip", "identity"],
	["GZip , BR;Q=0.5", "gzip", "identity"],
	["gzip, deflate", "gzip", "identity"],
	["gzip, deflate, br", "br", "identity"],
	["gzip, deflate, br, zstd", "zstd", "identity"],
	["gzip;q=1.0, br;q=0.8, zstd;q=0.9", "gzip", "identity"],
	["br;q=0.001", "br", "identity"],
	["*", "zstd", "identity"],
	["*;q=0.5, zstd;q=0", "br", "identity"],
	["identity, gzip;q=0.5", "identity", "identity"],
	["identity;q=0.5, gzip;q=1", "gzip", "identity"],
	["identity;q=0, gzip", "gzip", "gzip"],
	["*;q=0, gzip", "gzip", "gzip"],
	["*;q=0, identity", "identity", "identity"],
	["identity;q=0", undefined, undefined],
	["*;q=0", undefined, undefined],
	["deflate, identity;q=0", undefined, undefined],
	["gzip;q=0", "identity", "identity"],
	["gzip;q=2", "identity", "identity"],
	["gzip;q=-1, br;q=0.0001, zstd;q=nan", "identity", "identity"],
	["gzip;level=9;q=0.3", "gzip", "identity"],
	[";;,,;q=1,=", "identity", "identity"],
	["deflate, compress, exi, pack200-gzip, dcb, dcz, aes128gcm, x-gzip, br, gzip", "br", "identity"],
];

test("weights, refusals and the star are read as RFC 9110 has them", () => {
	for (const [header, large, small] of cases) {
		// Twice, because the second answer is remembered.
		for (const _ of [1, 2]) {
			expect([header, acceptedCodings(header)]).toEqual([header, { large, small }]);
		}
	}
});

test("no refused coding is sent, whatever else is in the header", () => {
	const names = ["gzip", "br", "zstd", "identity", "deflate", "*"];
	const wish = fc.tuple(fc.constantFrom(...names), fc.constantFrom("0", "0.5", "1", "0.000"));
	fc.assert(
		fc.property(fc.uniqueArray(wish, { selector: ([name]) => name }), (wishes) => {
			const header = wishes.map(([name, weight]) => `${name};q=${weight}`).join(", ");
			const weights = new Map(wishes.map(([name, weight]) => [name, Number(weight)]));
			for (const coding of Object.values(acceptedCodings(header))) {
				if (coding === undefined) {
					expect(weights.get("identity") ?? weights.get("*")).toBe(0);
					continue;
				}
				const fallback = coding === "identity" ? 1 : 0;
				expect(weights.get(coding) ?? weights.get("*") ?? fallback).toBeGreaterThan(0);
			}
		}),
	);
});

test("more headers than are remembered are still read", () => {
	for (let index = 0; index < 400; index += 1) {
		expect(acceptedCodings(`gzip, x${index}`).large).toBe("gzip");
	}
	expect(acceptedCodings(`${"x, ".repeat(3_000)}br`).large).toBe("br");
});
