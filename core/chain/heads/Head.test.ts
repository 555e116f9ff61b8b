import { expect, test } from "bun:test";
import { parseHead } from "#core/chain/heads/Head.ts";
import { fakeHeader } from "#core/chain/rpc/testing/fakeNode.ts";

test("a header is read: numbers as numbers, hashes in lower case, time in milliseconds", () => {
	const header = { ...fakeHeader(255), hash: `0x${"AB".repeat(32)}`, extraData: "0x" };
	expect(parseHead(header)).toEqual({
		number: 255,
		hash: `0x${"ab".repeat(32)}`,
		parentHash: `0x${"fe".padStart(64, "0")}`,
		timestampMs: 1_700_000_255_000,
		logsBloom: null,
	});
});

test("an invalid bloom is dropped, and its head is kept", () => {
	const logsBloom = `0x${"A0".repeat(256)}`;
	expect(parseHead({ ...fakeHeader(1), logsBloom })?.logsBloom).toBe(`0x${"a0".repeat(256)}`);
	for (const broken of [null, "0x", 7, {}, logsBloom.slice(1), `${logsBloom}00`]) {
		const head = parseHead({ ...fakeHeader(1), logsBloom: broken });
		expect(head).toMatchObject({ number: 1, logsBloom: null });
	}
});

test("an invalid header gives null, and never a head at a wrong block", () => {
	const good = fakeHeader(1);
	const bad = [
		null,
		undefined,
		"0x1",
		{},
		{ ...good, number: null },
		{ ...good, number: "1" },
		{ ...good, number: "0x" },
		{ ...good, number: 1 },
		{ ...good, number: `0x${"f".repeat(14)}` },
		{ ...good, number: "0x200000000" },
		{ ...good, hash: "0x12" },
		{ ...good, parentHash: undefined },
		{ ...good, timestamp: "now" },
	];
	for (const value of bad) expect({ value, head: parseHead(value) }).toEqual({ value, head: null });
});

test("a time that no Date can hold is refused", () => {
	const last = parseHead({ ...fakeHeader(1), timestamp: `0x${(8.64e12).toString(16)}` });
	expect(new Date(last?.timestampMs ?? Number.NaN).toISOString()).toBe(
		"+275760-09-13T00:00:00.000Z",
	);
	expect(parseHead({ ...fakeHeader(1), timestamp: "0xfffffffffffff" })).toBeNull();
});
