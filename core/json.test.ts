import { expect, test } from "bun:test";
import fc from "fast-check";
import { keccak256, stringToBytes } from "viem";
import { AssertionFailed } from "#core/fault.ts";
import { stableJson } from "#core/json.ts";

test("values that differ only in the order of keys give the same text, and no others do", () => {
	expect(stableJson({ a: [{ c: 1, b: null }], d: "x" })).toBe(
		stableJson({ d: "x", a: [{ b: null, c: 1 }] }),
	);
	expect(stableJson([1, 2])).not.toBe(stableJson([2, 1]));
	fc.assert(
		fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
			expect(JSON.parse(stableJson(one))).toEqual(JSON.parse(JSON.stringify(one)));
			expect(stableJson(one) === stableJson(other)).toBe(
				Bun.deepEquals(JSON.parse(JSON.stringify(one)), JSON.parse(JSON.stringify(other))),
			);
		}),
	);
});

// Taken from the version that made the hashes which are stored.
const stored: [name: string, value: unknown, text: string, hash: string][] = [
	[
		"a body with a member that was not said",
		{
			...{ chain: "robinhood", contract: `0x${"ab".repeat(20)}`, tokenId: "7", quantity: 1 },
			...{ maxPriceNative: "0.5", walletId: undefined },
		},
		`{"chain":"robinhood","contract":"0x${"ab".repeat(20)}","maxPriceNative":"0.5","quantity":1,` +
			'"tokenId":"7"}',
		"0x245fbc9d8ba8ed9e4a83be4ca376914dff8bc8e6830f6ac65788086247c146c4",
	],
	[
		"a list, and a text with half a character",
		{
			recipients: [
				{ to: `0x${"cd".repeat(20)}`, tokenId: "1" },
				{ tokenId: "2", to: `0x${"ef".repeat(20)}` },
			],
			note: "\ud800 half, é, 😀, \u0000",
		},
		`{"note":"\\ud800 half, é, 😀, \\u0000","recipients":[{"to":"0x${"cd".repeat(20)}",` +
			`"tokenId":"1"},{"to":"0x${"ef".repeat(20)}","tokenId":"2"}]}`,
		"0x49cdc0323fd76d5b149da9c13aeb989302c572147ee5a1b516315dad22760f12",
	],
	[
		"names that look like indexes, and odd numbers",
		{
			...{ 10: "b", 9: "a", "01": "c", "4294967294": "d", "4294967295": "e", "-1": "f" },
			...{ b: { 2: 1, 1: [-0, 1e21, 5e-324] }, a: null },
		},
		'{"9":"a","10":"b","4294967294":"d","-1":"f","01":"c","4294967295":"e","a":null,' +
			'"b":{"1":[0,1e+21,5e-324],"2":1}}',
		"0x03d3a6938cda1d662d680607f7059b8a7f61ce72609b86b96a4eb9fdcb9924c6",
	],
];

test.each(stored)("stored hashes stay what they are: %s", (_, value, text, hash) => {
	expect(stableJson(value)).toBe(text);
	expect(keccak256(stringToBytes(stableJson(value)))).toBe(hash as `0x${string}`);
});

/** What the stored hashes were made with. */
function asEnginesOrder(value: unknown): string {
	return JSON.stringify(value, (_, part: unknown) => {
		if (typeof part !== "object" || part === null || Array.isArray(part)) return part;
		return Object.fromEntries(
			Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1)),
		);
	});
}

test("the text of any JSON value is JSON.stringify's text with sorted members", () => {
	const name = fc.oneof(fc.string({ unit: "binary" }), fc.nat().map(String), fc.constant("0x1"));
	const { value } = fc.letrec((tie) => ({
		value: fc.oneof(
			{ maxDepth: 5 },
			fc.oneof(fc.string({ unit: "binary" }), fc.double({ noNaN: true }), fc.boolean()),
			fc.constant(null),
			fc.array(tie("value"), { maxLength: 4 }),
			fc.dictionary(name, tie("value"), { maxKeys: 6 }),
		),
	}));
	fc.assert(
		fc.property(value, (any) => {
			const json: unknown = JSON.parse(JSON.stringify(any));
			expect(stableJson(json)).toBe(asEnginesOrder(json));
		}),
	);
});

test("a value that is nested without end is refused, and does not overflow the stack", () => {
	let deep: unknown = 1;
	for (let level = 0; level < 100_000; level++) deep = [deep];
	expect(() => stableJson(deep)).toThrow(AssertionFailed);
	const cycle: unknown[] = [];
	cycle.push(cycle);
	expect(() => stableJson(cycle)).toThrow(AssertionFailed);
});
