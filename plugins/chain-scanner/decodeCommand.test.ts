import { expect, test } from "bun:test";
import { padHex } from "viem";
import { parseLogFile } from "#plugins/chain-scanner/decodeCommand.ts";

const hash = (text: string) => padHex(`0x${text}`, { size: 32 });
const log = {
	address: padHex("0xABCDEF", { size: 20 }),
	topics: [hash("AA")],
	data: "0xFF",
};
const market = padHex("0x33", { size: 20 });
const read = (text: string) => parseLogFile(text, { emitterOf: () => market });

const parse = (value: unknown) =>
	read(JSON.stringify(value)).flatMap((group) => {
		return group.kind === "read" ? group.transactions : [];
	});

/** The log indexes of each transaction. */
const shape = (value: unknown) =>
	parse(value).map((logs) => logs.map(({ logIndex }) => Number(logIndex)));

test("a list of logs without hashes is one transaction, in the order of the file", () => {
	expect(shape([log, log, log])).toEqual([[0, 1, 2]]);
});

test("logs with transaction hashes are grouped by them, in the order of their indexes", () => {
	const one = { ...log, transactionHash: hash("1") };
	const two = { ...log, transactionHash: hash("2") };
	expect(
		shape([
			{ ...one, logIndex: 9 },
			{ ...two, logIndex: 3 },
			{ ...one, logIndex: "0x4" },
			{ ...two, logIndex: "2" },
		]),
	).toEqual([
		[4, 9],
		[2, 3],
	]);
});

test("groups may be lists, objects with logs, or members of `groups`; each is decoded separately", () => {
	expect(shape([[log, log], [log]])).toEqual([[0, 1], [0]]);
	expect(shape([{ name: "a", logs: [log] }, { logs: [log, log] }])).toEqual([[0], [0, 1]]);
	expect(shape({ topic0: "0x", groups: [{ logs: [log] }, [log]] })).toEqual([[0], [0]]);
	expect(shape({ source: "x", transactions: [{ hash: "0x", logs: [log] }, [log]] })).toEqual([
		[0],
		[0],
	]);
	expect(shape({ logs: [log, log], status: "0x1" })).toEqual([[0, 1]]);
	expect(shape([])).toEqual([]);
	expect(shape([[]])).toEqual([]);
});

test("with missing or repeated indexes the order of the file is used", () => {
	expect(shape([{ ...log, logIndex: 7 }, log])).toEqual([[0, 1]]);
	expect(
		shape([
			{ ...log, logIndex: 7 },
			{ ...log, logIndex: 7 },
		]),
	).toEqual([[0, 1]]);
	expect(shape([{ ...log, logIndex: null, transactionHash: null }])).toEqual([[0]]);
});

test("addresses, topics and data in upper case are converted to lower case", () => {
	const [[parsed] = []] = parse([{ ...log, transactionHash: hash("AB") }]);
	expect(parsed).toMatchObject({
		address: padHex("0xabcdef", { size: 20 }),
		topics: [hash("aa")],
		data: "0xff",
		transactionHash: hash("ab"),
	});
});

test("a log without an address is decoded as from the venue whose event it is", () => {
	const { address, ...bare } = log;
	expect(parse([bare])[0]?.[0]?.address).toBe(market);
});

for (const text of ["sale!", "", "[{]", "{ not json"]) {
	test(`a file of ${text || "nothing"} is refused as no JSON`, () => {
		expect(() => read(text)).toThrow(
			expect.objectContaining({
				code: "log_file_invalid",
				publicDetail: expect.stringContaining("not JSON"),
			}),
		);
	});
}

const wrong: [string, unknown, RegExp][] = [
	["null", null, /group 0/],
	["a number", 7, /group 0/],
	["an empty object", {}, /group 0/],
	["groups inside groups", { groups: { groups: [] } }, /group 0/],
	["a list of texts", ["0x"], /group 0/],
	["a log without data", [{ ...log, data: undefined }], /data/],
	["an address that is short", [{ ...log, address: "0x12" }], /address/],
	["five topics", [{ ...log, topics: Array(5).fill(hash("aa")) }], /topics/],
	["data of half a byte", [{ ...log, data: "0xf" }], /data/],
	["a negative index", [{ ...log, logIndex: -1 }], /logIndex/],
];

for (const [what, value, words] of wrong) {
	test(`the error for a file of ${what} names the position in the file`, () => {
		const [group, ...others] = read(JSON.stringify(value));
		expect(others).toEqual([]);
		expect(group).toEqual({ kind: "malformed", problem: expect.stringMatching(words) });
	});
}

test("a malformed group does not affect the other groups", () => {
	const groups = read(JSON.stringify([[log], { name: "x" }, { logs: [log] }]));
	expect(groups.map(({ kind }) => kind)).toEqual(["read", "malformed", "read"]);
});

test("a receipt is recognised, also in a node's JSON-RPC answer; a list of logs is not a receipt", () => {
	const receipt = { status: "0x1", cumulativeGasUsed: "0x5208", logs: [log] };
	const flags = (value: unknown) =>
		read(JSON.stringify(value)).map((group) => group.kind === "read" && group.isReceipt);
	expect(flags(receipt)).toEqual([true]);
	expect(flags({ jsonrpc: "2.0", id: 1, result: receipt })).toEqual([true]);
	expect(flags([receipt, { logs: [log] }, [log]])).toEqual([true, false, false]);
	expect(flags({ jsonrpc: "2.0", id: 1, result: [log] })).toEqual([false]);
});
