import { expect, test } from "bun:test";
import fc from "fast-check";
import { meantName } from "#core/http/meantName.ts";

const known = ["chain", "type", "limit", "cursor", "tokenId", "q", "before"];

const meant: [name: string, meant: string][] = [
	["chian", "chain"],
	["chan", "chain"],
	["Chain", "chain"],
	["chainId", "chain"],
	["chain_id", "chain"],
	["network", "chain"],
	["tpye", "type"],
	["typ", "type"],
	["lmit", "limit"],
	["limit[]", "limit"],
	["page_size", "limit"],
	["per_page", "limit"],
	["curser", "cursor"],
	["cur", "cursor"],
	["next", "cursor"],
	["continuation", "cursor"],
	["token_id", "tokenId"],
	["tokenID", "tokenId"],
	["query", "q"],
	["befor", "before"],
];

test("another spelling, another API's word, a slip and a beginning are recognised", () => {
	for (const [name, one] of meant) expect([name, meantName(name, known)]).toEqual([name, one]);
});

test("a word that is near to none of them names none", () => {
	for (const name of [
		"",
		"x",
		"foo",
		"utm_source",
		"li",
		"__proto__",
		"constructor",
		"limitless!!",
	])
		expect([name, meantName(name, ["chain", "q"])]).toEqual([name, undefined]);
	expect(meantName("next", ["chain"])).toBeUndefined();
});

test("whatever is sent, the answer is one of the known names or none", () => {
	fc.assert(
		fc.property(fc.string({ maxLength: 60 }), (name) => {
			const found = meantName(name, known);
			expect(found === undefined || known.includes(found)).toBe(true);
		}),
	);
});
